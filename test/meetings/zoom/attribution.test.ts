// A Zoom call in which people speak, one shares a screen and the bot speaks: each word and picture is attributed to its participant.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Delivery, fetchDelivery, picturesIn } from '../../helpers/media/delivered.ts'
import { isNear, rgbOf } from '../../helpers/meetings/bot-in-room.ts'
import { CAST, type Name } from '../../helpers/meetings/meet-cast.ts'
import { ZoomStage } from '../../helpers/meetings/zoom.ts'
import { spokenWords } from '../../helpers/speech/speech-errors.ts'
import { line } from '../../helpers/speech/spoken-line.ts'
import { until } from '../../helpers/until.ts'

const LONG = 240_000
const SOON = 30_000
const WHITE = '#f4f4f4'
const SPEAKERS: readonly Name[] = ['Ada', 'Dot']
/** Of full scale. */
const AUDIBLE = 0.01

type Segment = { readonly speaker: string; readonly text: string }

function partOf(name: Name) {
  const part = CAST.find((it) => it.name === name)
  if (!part) throw new Error(`${name} has no part`)
  return part
}

let stage: ZoomStage
let delivery: Delivery
let segments: readonly Segment[]

beforeAll(async () => {
  stage = await ZoomStage.open()
  const meeting = stage.zoom.meeting({ recording: 'allowed' })
  const people = await Promise.all(SPEAKERS.map((name, at) => meeting.call.join({ name, host: at === 0 })))
  const lines = await Promise.all(SPEAKERS.map((name) => line(name, partOf(name).voice, partOf(name).text)))
  const ben = await meeting.call.join({ name: 'Ben', muted: true, colour: partOf('Ben').colour ?? WHITE })
  const id = await stage.send(meeting)
  await stage.has(id, 'Recording')
  await until('the camera of Ben is recorded', () => stage.recordingOf(id).tracks.some(({ kind }) => kind === 'camera'), SOON)
  await ben.share(WHITE)
  await until('the screen of Ben is recorded', () => stage.recordingOf(id).tracks.some(({ kind }) => kind === 'screen'), SOON)
  for (const [at, person] of people.entries()) await person.say(lines[at]?.wav ?? Buffer.alloc(0), lines[at]?.text)
  expect(await stage.command(id, 'speak', { text: 'The quarterly numbers are ready for everybody to read.' })).toMatchObject({
    status: 200,
  })
  await until('the bot is audible', async () => ((await meeting.call.receivedAudio().tone())?.amplitude ?? 0) > AUDIBLE, SOON)
  await until('its microphone is off again', () => meeting.state()?.muted, SOON)
  await stage.remove(id)
  const bot = await stage.has(id, 'Done', 120_000)
  delivery = await fetchDelivery(stage.service, id)
  segments = (await stage.service.api('GET', `/api/v1/transcript/${bot.transcript_id}/get_transcript`)).body
}, LONG)
afterAll(async () => {
  await delivery?.discard()
  await stage?.close()
})

test.each(SPEAKERS)('attributes the words of %s to their speaker', (name) => {
  const said = segments.filter(({ speaker }) => speaker === name).flatMap(({ text }) => spokenWords(text))
  const others = CAST.filter((it) => it.name !== name && SPEAKERS.includes(it.name)).flatMap(({ own }) => own)
  expect(partOf(name).own.filter((word) => said.includes(word)).length).toBeGreaterThan(1)
  expect(said.filter((word) => others.includes(word))).toEqual([])
})

test('attributes a shared screen and a camera to their participant', () => {
  expect(new Set(delivery.streams.filter(({ kind }) => kind !== 'audio').map(({ name }) => name))).toEqual(new Set(['Ben']))
  const coloursOf = (kind: 'camera' | 'screen') => picturesIn(delivery.of('Ben', kind)).map(({ rgb }) => rgb)
  expect(coloursOf('screen').length).toBeGreaterThan(10)
  expect(coloursOf('screen').filter((rgb) => !isNear(rgb, rgbOf(WHITE), 90))).toEqual([])
  expect(coloursOf('camera').filter((rgb) => !isNear(rgb, rgbOf(partOf('Ben').colour ?? WHITE), 90))).toEqual([])
})
