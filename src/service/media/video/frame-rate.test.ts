import { expect, test } from 'vitest'
import type { ManifestFact } from '../../../domain/recording.ts'
import { planMedia } from '../plan.ts'
import { frameRateOf } from './frame-rate.ts'

type Source = { readonly frames: number; readonly ms?: number; readonly codec?: 'vp8' | 'webm'; readonly kind?: 'camera' | 'screen' }

/** One track for each source, in a segment of ten seconds unless it says otherwise. */
function planOf(sources: readonly Source[]) {
  const facts = sources.flatMap(({ frames, ms = 10_000, codec = 'vp8', kind = 'camera' }, index): ManifestFact[] => {
    const trackId = `1-${index}`
    const extent = { startMs: 0, endMs: ms, bytes: 1, frames, keyFrames: 1 }
    return [
      { fact: 'track', trackId, participantId: `p${index}`, kind, codec },
      { fact: 'segment', trackId, index: 0, file: `${trackId}.mkv`, codec, width: 640, height: 360, continues: false, ...extent },
    ]
  })
  return planMedia({ facts: [...facts, { fact: 'ended', atMs: 10_000, reason: 'left' }] })
}

test.each<readonly [string, number, readonly Source[]]>([
  ['the fastest source', 15, [{ frames: 74 }, { frames: 151 }, { frames: 20, kind: 'screen' }]],
  ['a source a little above a rate', 15, [{ frames: 164 }]],
  ['a source between two rates', 20, [{ frames: 172 }]],
  ['a source above the highest rate', 25, [{ frames: 300 }]],
  ['no source', 5, []],
  ['only a segment too short to count', 25, [{ frames: 30, ms: 500 }]],
  ['a container whose frames are not counted', 25, [{ frames: 10, codec: 'webm' }]],
])('follows %s', (_source, fps, sources) => {
  expect(frameRateOf(planOf(sources))).toBe(fps)
})
