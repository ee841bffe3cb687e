import { expect, test } from 'vitest'
import type { ManifestFact } from '../../domain/recording.ts'
import { planMedia } from './plan.ts'
import { tracksOnce } from './two-sessions.ts'

type Made = { readonly id: string; readonly owner: string | null; readonly kind?: 'audio' | 'camera'; readonly mix?: true }

/** A track with a segment for each pair of times. */
function track({ id, owner, kind = 'audio', mix }: Made, ...spans: readonly (readonly [number, number])[]): readonly ManifestFact[] {
  const codec = kind === 'audio' ? 'opus' : 'vp8'
  const segments = spans.map(([startMs, endMs], index): ManifestFact => {
    const shape = { trackId: id, index, file: `${id}-${index}.mkv`, codec, width: 0, height: 0, continues: false } as const
    return { fact: 'segment', ...shape, startMs, endMs, bytes: 100, frames: 10, keyFrames: 1 }
  })
  return [{ fact: 'track', trackId: id, participantId: owner, kind, codec, ...(mix && { mix }) }, ...segments]
}

const spansOf = (facts: readonly ManifestFact[]) =>
  Object.fromEntries(
    tracksOnce({ facts }).map(({ trackId, segments }) => [trackId, segments.map((it) => [it.startMs, it.endMs, it.within])]),
  )

test('ends the track of an earlier session where the later one has the participant’s media', () => {
  const facts = [
    ...track({ id: '1-1', owner: 'ada' }, [0, 10_000], [10_000, 14_000]),
    ...track({ id: '1001-1', owner: 'ada' }, [9_000, 20_000]),
  ]
  expect(spansOf(facts)).toEqual({
    '1-1': [[0, 9_000, { fromMs: 0, toMs: 9_000 }]],
    '1001-1': [[9_000, 20_000, undefined]],
  })
})

test('leaves tracks of other participants, of another kind, and of the same session as they are', () => {
  const facts = [
    ...track({ id: '1-1', owner: 'ada' }, [0, 10_000]),
    ...track({ id: '1-2', owner: 'ada', kind: 'camera' }, [0, 10_000]),
    ...track({ id: '1-3', owner: 'ada' }, [4_000, 12_000]),
    ...track({ id: '1001-1', owner: 'ben' }, [5_000, 20_000]),
    ...track({ id: '1001-2', owner: null }, [5_000, 20_000]),
  ]
  expect(spansOf(facts)).toMatchObject({
    '1-1': [[0, 10_000, undefined]],
    '1-2': [[0, 10_000, undefined]],
    '1-3': [[4_000, 12_000, undefined]],
  })
})

test('ends the mix of an earlier session where that of the later one begins', () => {
  const facts = [
    ...track({ id: '3-1', owner: null, mix: true }, [0, 10_000]),
    ...track({ id: '4-1', owner: null, mix: true }, [7_000, 20_000]),
  ]
  expect(spansOf(facts)['3-1']).toEqual([[0, 7_000, { fromMs: 0, toMs: 7_000 }]])
})

test('has no participant for the bot’s own other session', () => {
  const facts: readonly ManifestFact[] = [
    { fact: 'started', wallClock: '2026-01-02T03:04:05.000Z', monotonicZeroMs: 0 },
    { fact: 'own', participantId: 'twin' },
    ...track({ id: '2-1', owner: 'ada' }, [0, 10_000]),
    ...track({ id: '2-2', owner: 'twin' }, [0, 10_000]),
    { fact: 'speech', trackId: '2-2', participantId: null, fromMs: 1_000, toMs: 2_000 },
    { fact: 'speech', trackId: '', participantId: 'twin', fromMs: 1_000, toMs: 2_000 },
  ]
  expect(planMedia({ facts }).participants.map(({ id }) => id)).toEqual(['ada'])
})
