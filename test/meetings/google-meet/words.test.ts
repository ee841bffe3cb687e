// Ten people in a Google Meet call whose lanes never stay with one speaker: what each of them says and shows is theirs, and nobody else's.
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Meeting, Scenario } from '../../../sims/google-meet/meet.ts'
import { nameOf, shareHeard, type Turn, tonesIn, turnsApart } from '../../helpers/attribution.ts'
import { rgbOf } from '../../helpers/bot-in-room.ts'
import { type Delivery, fetchDelivery, picturesIn } from '../../helpers/delivered.ts'
import { MeetStage } from '../../helpers/google-meet.ts'
import { CAST, Cast, type Name, type Sent, SPACE } from '../../helpers/meet-cast.ts'
import { readRecording } from '../../helpers/recording.ts'
import { spokenWords, wordErrors } from '../../helpers/speech-errors.ts'
import { until } from '../../helpers/until.ts'

const WHITE = '#f4f4f4'
const COLOURS = [WHITE, ...CAST.flatMap(({ colour }) => colour ?? [])]
const LARGE = { width: 640, height: 360 }
const LONG = 30_000

type Segment = { readonly speaker: string; readonly text: string }
type Chunk = { readonly speakerName: string | null; readonly timestamp: string; readonly start: number; readonly end: number }

type Path = { readonly path: string; readonly scenario: Partial<Scenario>; readonly changes: boolean }

const PATHS: readonly Path[] = [
  { path: 'on which the browser decodes', scenario: {}, changes: false },
  { path: 'on which the page decodes', scenario: { media: 'neteq' }, changes: false },
  { path: 'that changes while they speak', scenario: { takesFrames: 'always' }, changes: true },
]

/** Three people at the most, and silence for long enough that their lanes are free again. */
async function atOnce(act: (name: Name) => Promise<unknown>, ...names: readonly Name[]): Promise<void> {
  await Promise.all(names.map(async (name, index) => delay(index * 200).then(() => act(name))))
  await delay(650)
}

/** `change`: the other path, from the middle of the next sound on. */
async function talk({ space }: Meeting, cast: Cast, change: () => void): Promise<readonly Sent[]> {
  const [sounds, speaks] = [(name: Name) => cast.sounds(name), (name: Name) => cast.speaks(name)]
  change()
  await atOnce(sounds, 'Ada', 'Ben', 'Cy')
  await atOnce(sounds, 'Dot', 'Eve', 'Fay')
  await cast.named('Dot').resize(LARGE)
  change()
  await atOnce(sounds, 'Gus', 'Hal', 'Ivy')

  // One gets a new number, another one that of somebody who has just left.
  const [gus, hal, jan] = [cast.named('Gus'), cast.named('Hal'), cast.named('Jan')]
  hal.leave()
  gus.mute()
  jan.mute()
  gus.unmute({ newSource: true })
  jan.unmute({ newSource: hal.source() })
  await cast.named('Ben').share(WHITE)
  change()
  await atOnce(sounds, 'Jan', 'Gus', 'Ada')
  await cast.enter('Hal')
  await atOnce(sounds, 'Hal', 'Ivy', 'Ben')

  change()
  await atOnce(speaks, 'Ada', 'Ben', 'Cy')
  cast.named('Ben').stopSharing()
  await atOnce(speaks, 'Dot')
  await atOnce(speaks, 'Eve', 'Fay', 'Gus')
  change()
  await atOnce(speaks, 'Hal', 'Ivy', 'Jan')
  expect(space.truth().every(({ lanes }) => lanes.length > 0)).toBe(true)
  return cast.sent()
}

/** To the other path and back, each time while the next ones speak. */
function changing(meeting: Meeting): () => void {
  let path: Scenario['media'] = 'native'
  return () => {
    path = path === 'native' ? 'neteq' : 'native'
    setTimeout(() => meeting.changeMedia(path), 500)
  }
}

/** Which of the colours of this meeting it is. */
function colourIn(rgb: readonly number[]): string | undefined {
  const distance = (colour: string) => rgbOf(colour).reduce((sum, value, index) => sum + Math.abs(value - (rgb[index] ?? 0)), 0)
  return COLOURS.toSorted((a, b) => distance(a) - distance(b))[0]
}

describe.each(PATHS)('a call on a path $path', ({ scenario, changes }) => {
  let stage: MeetStage
  let delivery: Delivery
  let sent: readonly Sent[]
  let turns: readonly Turn[]
  let segments: readonly Segment[]
  /** When the recording began, by the wall clock. */
  let zeroMs: number

  beforeAll(async () => {
    stage = await MeetStage.open()
    const meeting = stage.meeting({ knock: 'admitted', space: SPACE, ...scenario })
    const id = await stage.send(meeting.code)
    const cast = await Cast.assemble(meeting.space)
    await stage.has(id, 'Recording')
    await until('everybody is known', async () => (await stage.read(id, 'get_participants')).length === CAST.length, 20_000)
    // Who has just come in is still being connected, and may miss a syllable that nobody can give it.
    await until('it sees somebody', () => readRecording(path.join(stage.service.directory, 'recordings', id)).tracks.length > 0, 20_000)
    sent = await talk(meeting, cast, changes ? changing(meeting) : () => undefined)
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

  test('every tone is in its own person’s files, nearly all of it, and in no other', { timeout: LONG }, () => {
    const heard = tonesIn(
      delivery.streams.filter(({ kind }) => kind === 'audio'),
      sent,
      zeroMs,
    )
    const tones = sent.filter(({ isTone }) => isTone)
    expect(tones.filter(({ lanes }) => lanes > 1).length, 'many of them in more than one lane').toBeGreaterThan(8)
    const length = ({ fromMs, toMs }: Sent) => toMs - fromMs
    const all = tones.reduce((sum, it) => sum + length(it), 0)
    const right = tones.reduce((sum, it) => sum + length(it) * shareHeard(heard, it), 0)
    console.info(`${((100 * right) / all).toFixed(1)} % of ${(all / 1000).toFixed(1)} s of tones is where it belongs`)
    expect(heard.filter(({ holder, name }) => holder !== nameOf(name))).toEqual([])
    expect(right / all).toBeGreaterThanOrEqual(0.98)
  })

  test('who spoke when is told to within 300 ms, and whom nobody can know is nobody', () => {
    expect(turnsApart(turns, sent)).toEqual([])
  })

  test('every word that was recognised is its speaker’s own', () => {
    const textOf = (name: Name) => segments.filter(({ speaker }) => speaker === nameOf(name)).map(({ text }) => text)
    const rows = CAST.map(({ name, text, own }) => {
      const [said, heard] = [spokenWords(text), spokenWords(textOf(name).join(' '))]
      const strange = heard.filter((word) => CAST.some((it) => it.name !== name && it.own.includes(word)))
      return { name, strange, said: said.length, wrong: wordErrors(said, heard), known: own.filter((it) => heard.includes(it)) }
    })
    const [said, wrong] = [rows.reduce((sum, it) => sum + it.said, 0), rows.reduce((sum, it) => sum + it.wrong, 0)]
    console.info(`${wrong} of ${said} words wrong; ${rows.map((it) => `${it.name} ${it.wrong} of ${it.said}`).join(', ')}`)
    for (const { name, strange, known } of rows) {
      expect(strange, `${name} has words of others`).toEqual([])
      expect(known.length, `${name} has words`).toBeGreaterThan(1)
    }
    expect(new Set(segments.map(({ speaker }) => speaker))).toEqual(new Set(CAST.map(({ name }) => nameOf(name))))
    expect(wrong / said).toBeLessThan(0.25)
  })

  test('every camera’s files show its person only, in whichever place and size', { timeout: LONG }, () => {
    const seen = CAST.map(({ name }) => ({ name, colours: picturesIn(delivery.of(name, 'camera')).map(({ rgb }) => colourIn(rgb)) }))
    for (const { name, colours } of seen) {
      const { colour } = CAST.find((it) => it.name === name) ?? {}
      expect(new Set(colours), name).toEqual(new Set(colour ? [colour] : []))
      if (colour) expect(colours.length, `${name} was seen`).toBeGreaterThan(20)
    }
    expect(delivery.of('', 'camera')).toEqual([])
  })

  test('a shared screen is its sharer’s', { timeout: LONG }, () => {
    const screens = delivery.streams.filter(({ kind }) => kind === 'screen')
    expect(new Set(screens.map(({ name }) => name))).toEqual(new Set(['Ben']))
    expect(new Set(picturesIn(screens).map(({ rgb }) => colourIn(rgb)))).toEqual(new Set([WHITE]))
  })
})
