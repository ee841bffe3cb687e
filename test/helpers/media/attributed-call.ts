// The delivered results of a call with the cast: files, speaker turns and transcript, and checks that platforms share.
import { expect } from 'vitest'
import { rgbOf } from '../meetings/bot-in-room.ts'
import { CAST } from '../meetings/meet-cast.ts'
import type { PlatformStage } from '../meetings/platform-stage.ts'
import { spokenWords, wordErrors } from '../speech/speech-errors.ts'
import type { Turn } from './attribution.ts'
import { type Delivery, fetchDelivery, picturesIn } from './delivered.ts'

/** The colour of a shared screen. */
export const WHITE = '#f4f4f4'
const COLOURS = [WHITE, ...CAST.flatMap(({ colour }) => colour ?? [])]

type Chunk = { readonly speakerName: string | null; readonly timestamp: string; readonly start: number; readonly end: number }

export type AttributedCall = {
  readonly delivery: Delivery
  readonly turns: readonly Turn[]
  readonly segments: readonly { readonly speaker: string; readonly text: string }[]
  /** When the recording began, by the wall clock. */
  readonly zeroMs: number
}

/** Removes the bot from its call and fetches its results. */
export async function finishCall(stage: PlatformStage, id: string): Promise<AttributedCall> {
  await stage.remove(id)
  const bot = await stage.has(id, 'Done', 120_000)
  const delivery = await fetchDelivery(stage.service, id)
  const { chunks } = (await stage.read(id, 'get_speaker_timeline')) as { chunks: readonly Chunk[] }
  const zeroMs = Date.parse(chunks[0]?.timestamp ?? '') - (chunks[0]?.start ?? 0) * 1000
  const turns = chunks.map(({ speakerName, start, end }) => ({
    name: speakerName ?? '',
    fromMs: zeroMs + start * 1000,
    toMs: zeroMs + end * 1000,
  }))
  const segments = (await stage.service.api('GET', `/api/v1/transcript/${bot.transcript_id}/get_transcript`)).body
  return { delivery, turns, segments, zeroMs }
}

/** The colour of the cast that is closest to this one. */
function colourIn(rgb: readonly number[]): string | undefined {
  const distance = (colour: string) => rgbOf(colour).reduce((sum, value, index) => sum + Math.abs(value - (rgb[index] ?? 0)), 0)
  return COLOURS.toSorted((a, b) => distance(a) - distance(b))[0]
}

export type WordRow = {
  readonly name: string
  readonly found: readonly string[]
  readonly said: number
  readonly wrong: number
  /** Words of this speaker alone that were found. */
  readonly known: readonly string[]
}

/** The transcript of each person of the cast, compared with the person's line. `speakerOf`: the name in the transcript. */
export function wordRows({ segments }: AttributedCall, speakerOf: (name: string) => string): readonly WordRow[] {
  return CAST.map(({ name, text, own }) => {
    const spoken = segments.filter(({ speaker }) => speaker === speakerOf(name)).map((it) => it.text)
    const [said, found] = [spokenWords(text), spokenWords(spoken.join(' '))]
    return { name, found, said: said.length, wrong: wordErrors(said, found), known: own.filter((it) => found.includes(it)) }
  })
}

/** At most a quarter of the words of these people is wrong, and each has own words. */
export function expectSpeech(rows: readonly WordRow[]): void {
  const [said, wrong] = [rows.reduce((sum, it) => sum + it.said, 0), rows.reduce((sum, it) => sum + it.wrong, 0)]
  console.info(`${wrong} of ${said} words wrong; ${rows.map((it) => `${it.name} ${it.wrong} of ${it.said}`).join(', ')}`)
  for (const { name, known } of rows) expect(known.length, `${name} has words`).toBeGreaterThan(1)
  expect(wrong / said).toBeLessThan(0.25)
}

/** The camera files of each person show only that person's colour, in more than `least` pictures. */
export function expectCameras({ delivery }: AttributedCall, least: number): void {
  for (const { name, colour } of CAST) {
    const colours = picturesIn(delivery.of(name, 'camera')).map(({ rgb }) => colourIn(rgb))
    expect(new Set(colours), name).toEqual(new Set(colour ? [colour] : []))
    if (colour) expect(colours.length, `${name} was seen`).toBeGreaterThan(least)
  }
  expect(delivery.of('', 'camera')).toEqual([])
}

/** Only Ben has shared a screen, which is white. */
export function expectScreen({ delivery }: AttributedCall): void {
  const screens = delivery.streams.filter(({ kind }) => kind === 'screen')
  expect(new Set(screens.map(({ name }) => name))).toEqual(new Set(['Ben']))
  expect(new Set(picturesIn(screens).map(({ rgb }) => colourIn(rgb)))).toEqual(new Set([WHITE]))
}
