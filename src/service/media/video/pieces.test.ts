// Which pieces of a video may be copied, and where they are cut.
import { expect, test } from 'vitest'
import type { ManifestFact } from '../../../domain/recording.ts'
import { planMedia } from '../plan.ts'
import { settledPieces } from '../work-ahead.ts'
import { type Piece, piecesOf, spanOf } from './pieces.ts'

const LARGE = { codec: 'h264', width: 1280, height: 720 } as const
type Shape = { readonly codec: 'h264' | 'vp8'; readonly width: number; readonly height: number }
type Segment = { readonly startMs: number; readonly continues?: boolean; readonly shape?: Shape }

/** A camera whose segments each last until the next one. */
function camera(owner: string, untilMs: number, segments: readonly Segment[]): readonly ManifestFact[] {
  const trackId = `${owner}-v`
  return [
    { fact: 'track', trackId, participantId: owner, kind: 'camera', codec: 'h264' },
    ...segments.map(({ startMs, continues = false, shape = LARGE }, index): ManifestFact => {
      const endMs = segments[index + 1]?.startMs ?? untilMs
      const counts = { bytes: 100, frames: ((endMs - startMs) * 15) / 1000, keyFrames: 1 }
      return { fact: 'segment', trackId, index, file: `${trackId}-${index}.mkv`, ...shape, continues, startMs, endMs, ...counts }
    }),
  ]
}

const every = (stepMs: number, untilMs: number, shape: Shape = LARGE): readonly Segment[] =>
  Array.from({ length: Math.ceil(untilMs / stepMs) }, (_, index) => ({ startMs: index * stepMs, shape }))
const speech = (participantId: string, fromMs: number, toMs: number): ManifestFact => ({
  fact: 'speech',
  trackId: `${participantId}-a`,
  participantId,
  fromMs,
  toMs,
})

const planOf = (facts: readonly ManifestFact[]) =>
  planMedia({ facts: [{ fact: 'started', wallClock: '2026-01-02T03:04:05.000Z', monotonicZeroMs: 0 }, ...facts] })

const waysOf = (facts: readonly ManifestFact[], encoder?: Parameters<typeof piecesOf>[2]): readonly string[] =>
  piecesOf(planOf(facts), 'speaker_view', encoder).map(printed)

function printed(piece: Piece): string {
  const { fromMs, toMs } = spanOf(piece)
  return `${fromMs / 1000}-${toMs / 1000} ${piece.way}`
}

const TWO = [...camera('ann', 40_000, every(8_000, 40_000)), ...camera('ben', 40_000, every(8_000, 40_000))]
const TURNS = [speech('ann', 0, 10_500), speech('ben', 11_000, 40_000)]

test('copies a speaker from the first segment that begins in the turn', () => {
  expect(waysOf([...TWO, ...TURNS])).toEqual(['0-11 copy', '11-16 encode beside copies', '16-40 copy'])
})

test('cuts a long copy at segments that begin with a key frame, after a minute at most', () => {
  const segments = every(8_000, 200_000).map((it) => ({ ...it, continues: it.startMs === 56_000 }))
  const parts = waysOf([...camera('ann', 200_000, segments), speech('ann', 0, 200_000)])
  expect(parts).toEqual(['0-48 copy', '48-104 copy', '104-160 copy', '160-200 copy'])
})

test('encodes where the camera has another size or codec', () => {
  const small = { codec: 'h264', width: 640, height: 360 } as const
  const segments = [...every(8_000, 16_000), { startMs: 16_000, shape: small }, { startMs: 24_000 }]
  const parts = waysOf([...camera('ann', 40_000, segments), speech('ann', 0, 40_000)])
  expect(parts).toEqual(['0-16 copy', '16-24 encode beside copies', '24-40 copy'])
  const vp8 = { codec: 'vp8', width: 1280, height: 720 } as const
  expect(waysOf([...camera('ann', 40_000, every(8_000, 40_000, vp8)), speech('ann', 0, 40_000)])).toEqual(['0-40 encode'])
})

test('encodes everything with hardware, which cannot number its parameter sets', () => {
  expect(waysOf([...TWO, ...TURNS], { name: 'nvenc' })).toEqual(['0-11 encode', '11-40 encode'])
})

test('makes only the encoded pieces while the meeting runs', () => {
  const later: ManifestFact = { fact: 'ended', atMs: 90_000, reason: 'left' }
  expect(settledPieces(planOf([...TWO, ...TURNS, later]), 'speaker_view').map(printed)).toEqual(['11-16 encode beside copies'])
})
