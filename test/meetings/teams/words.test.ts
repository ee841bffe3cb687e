// Ten people in a Teams call with one mixed track: what each of them says and shows is theirs, and what several say at once is nobody's.
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Meeting } from '../../../sims/teams/teams.ts'
import { type Turn, tonesIn, turnsApart } from '../../helpers/attribution.ts'
import { rgbOf } from '../../helpers/bot-in-room.ts'
import { type Delivery, fetchDelivery, picturesIn } from '../../helpers/delivered.ts'
import { CAST, type Name, type Sent } from '../../helpers/meet-cast.ts'
import { readRecording } from '../../helpers/recording.ts'
import { spokenWords, wordErrors } from '../../helpers/speech-errors.ts'
import { TeamsStage } from '../../helpers/teams.ts'
import { sharesHeard, TeamsCast } from '../../helpers/teams-cast.ts'
import { until } from '../../helpers/until.ts'

const WHITE = '#f4f4f4'
const COLOURS = [WHITE, ...CAST.flatMap(({ colour }) => colour ?? [])]
const LONG = 30_000
/** The grid of looks at tones. */
const STEP_MS = 20
/** Words of these are recognised; each of them speaks alone for a while. */
const ALONE: readonly Name[] = ['Ada', 'Dot', 'Eve', 'Gus']
/** Letters of a word that a torn sound may be taken for. */
const SHORT = 3
const TOGETHER: readonly Name[] = ['Ben', 'Cy']

type Segment = { readonly speaker: string; readonly text: string }
type Chunk = { readonly speakerName: string | null; readonly timestamp: string; readonly start: number; readonly end: number }

async function talk({ call }: Meeting, cast: TeamsCast): Promise<readonly Sent[]> {
  const together = async (act: (name: Name) => Promise<unknown>, first: Name, second: Name) => {
    await Promise.all([act(first), delay(600).then(() => act(second))])
    await delay(650)
  }
  const sounds = (name: Name) => cast.sounds(name)
  await together(sounds, 'Ada', 'Ben')
  await together(sounds, 'Cy', 'Dot')
  await cast.named('Ben').share(WHITE)
  await together(sounds, 'Eve', 'Fay')
  await together(sounds, 'Gus', 'Hal')
  // One comes back with other sources.
  cast.named('Hal').leave()
  cast.named('Gus').mute()
  await cast.enter('Hal')
  cast.named('Gus').unmute()
  await together(sounds, 'Ivy', 'Jan')
  // Nobody whose words come next: turns that are close are one.
  await together(sounds, 'Hal', 'Fay')
  cast.named('Ben').stopSharing()
  for (const name of ALONE) {
    await cast.speaks(name)
    await delay(400)
  }
  await together((name) => cast.speaks(name), 'Ben', 'Cy')
  expect(call.truth().every(({ toMs, fromMs }) => toMs > fromMs)).toBe(true)
  return cast.sent()
}

/** Which of the colours of this meeting it is. */
function colourIn(rgb: readonly number[]): string | undefined {
  const distance = (colour: string) => rgbOf(colour).reduce((sum, value, index) => sum + Math.abs(value - (rgb[index] ?? 0)), 0)
  return COLOURS.toSorted((a, b) => distance(a) - distance(b))[0]
}

let stage: TeamsStage
let delivery: Delivery
let sent: readonly Sent[]
let turns: readonly Turn[]
let segments: readonly Segment[]
/** When the recording began, by the wall clock. */
let zeroMs: number

beforeAll(async () => {
  stage = await TeamsStage.open()
  const meeting = stage.meeting({ knock: 'admitted', call: { videoSlots: 3, redundantAudio: true, contributorHangMs: 100 } })
  const id = await stage.send(meeting)
  const cast = await TeamsCast.assemble(meeting.call, [...ALONE, ...TOGETHER])
  await stage.has(id, 'Recording')
  await until('everybody is known', async () => (await stage.read(id, 'get_participants')).length === CAST.length, 20_000)
  // A bot that has just come in is still being connected.
  await until('it sees somebody', () => readRecording(path.join(stage.service.directory, 'recordings', id)).tracks.length > 1, 20_000)
  sent = await talk(meeting, cast)
  await stage.remove(id)
  const bot = await stage.has(id, 'Done', 120_000)
  delivery = await fetchDelivery(stage.service, id)
  const { chunks } = (await stage.read(id, 'get_speaker_timeline')) as { chunks: readonly Chunk[] }
  zeroMs = Date.parse(chunks[0]?.timestamp ?? '') - (chunks[0]?.start ?? 0) * 1000
  turns = chunks.map(({ speakerName, start, end }) => ({
    name: speakerName ?? '',
    fromMs: zeroMs + start * 1000,
    toMs: zeroMs + end * 1000,
  }))
  segments = (await stage.service.api('GET', `/api/v1/transcript/${bot.transcript_id}/get_transcript`)).body
}, 240_000)
afterAll(async () => {
  await delivery?.discard()
  await stage?.close()
})

test('no tone is under a wrong name: one that sounds alone is its person’s, two at once are nobody’s', { timeout: LONG }, () => {
  const sounds = delivery.streams.filter(({ kind }) => kind === 'audio')
  const heard = tonesIn(sounds, sent, zeroMs)
  expect(heard.filter(({ holder, name }) => holder !== name && holder !== '')).toEqual([])
  const { alone, mixed } = sharesHeard(heard, sent, STEP_MS)
  console.info(`${(100 * alone).toFixed(1)} % of what sounded alone has its name, ${(100 * mixed).toFixed(1)} % of the rest is in the mix`)
  expect(alone).toBeGreaterThanOrEqual(0.95)
  expect(mixed).toBeGreaterThanOrEqual(0.95)
})

test('who spoke when is told to within 300 ms, also where several spoke at once', () => {
  expect(turnsApart(turns, sent, (name) => name)).toEqual([])
})

test('every word that was recognised is its speaker’s own, or nobody’s where two spoke', () => {
  const textOf = (name: string) => segments.filter(({ speaker }) => speaker === name).map(({ text }) => text)
  const rows = CAST.map(({ name, text, own }) => {
    const [said, heard] = [spokenWords(text), spokenWords(textOf(name).join(' '))]
    // What is left of two who spoke at once is torn, and may be taken for any short word; it must not be the other's.
    const others = TOGETHER.includes(name) ? TOGETHER : [...ALONE, ...TOGETHER]
    const isTheirs = (word: string) => CAST.some((it) => it.name !== name && others.includes(it.name) && it.own.includes(word))
    const strange = heard.filter((word) => word.length > SHORT && isTheirs(word))
    return { name, strange, said: said.length, wrong: wordErrors(said, heard), known: own.filter((it) => heard.includes(it)) }
  })
  const alone = rows.filter(({ name }) => ALONE.includes(name))
  const [said, wrong] = [alone.reduce((sum, it) => sum + it.said, 0), alone.reduce((sum, it) => sum + it.wrong, 0)]
  console.info(`${wrong} of ${said} words wrong; ${alone.map((it) => `${it.name} ${it.wrong} of ${it.said}`).join(', ')}`)
  for (const { name, strange } of rows) expect(strange, `${name} has words of others`).toEqual([])
  for (const { name, known } of alone) expect(known.length, `${name} has words`).toBeGreaterThan(1)
  expect(wrong / said).toBeLessThan(0.25)
})

test('every camera’s files show its person only, in whichever place', { timeout: LONG }, () => {
  for (const { name, colour } of CAST) {
    const colours = picturesIn(delivery.of(name, 'camera')).map(({ rgb }) => colourIn(rgb))
    expect(
      colours.filter((it) => it !== colour),
      `${name}’s pictures show somebody else`,
    ).toEqual([])
    if (colour) expect(colours.length, `${name} was seen`).toBeGreaterThan(10)
  }
  expect(delivery.of('', 'camera')).toEqual([])
})

test('a shared screen is its sharer’s', { timeout: LONG }, () => {
  const screens = delivery.streams.filter(({ kind }) => kind === 'screen')
  expect(new Set(screens.map(({ name }) => name))).toEqual(new Set(['Ben']))
  expect(new Set(picturesIn(screens).map(({ rgb }) => colourIn(rgb)))).toEqual(new Set([WHITE]))
})
