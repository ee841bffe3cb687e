// Plans for platforms that send one mixed audio track.
import { expect, test } from 'vitest'
import type { ManifestFact } from '../../domain/recording.ts'
import { planMedia } from './plan.ts'
import { scenesOf } from './video/layout.ts'

const segment = { fact: 'segment', index: 0, file: 'x.mka', codec: 'opus', width: 0, height: 0 } as const
const extent = { continues: false, bytes: 9, frames: 9, keyFrames: 9 }

function sound(trackId: string, participantId: string | null, toMs: number | null, isMix = false): readonly ManifestFact[] {
  const opened = { fact: 'track', trackId, participantId, kind: 'audio', codec: 'opus', ...(isMix && { mix: true as const }) } as const
  return [opened, ...(toMs === null ? [] : [{ ...segment, ...extent, trackId, startMs: 0, endMs: toMs } as const])]
}
const speech = (participantId: string, trackId: string): ManifestFact => ({
  fact: 'speech',
  trackId,
  participantId,
  fromMs: 1_000,
  toMs: 2_000,
})

test('keeps a mix without speech and gives it no tile', () => {
  const facts = [...sound('1-1', null, 9_000, true), ...sound('1-2', 'ann', 9_000), ...sound('1-3', 'ben', null), speech('ann', '1-2')]
  const plan = planMedia({ facts: [...facts, speech('ben', '1-3')] })
  expect(plan.participants.map(({ id, isMix }) => [id, isMix])).toEqual([
    ['unnamed:1-1', true],
    ['ann', false],
  ])
  expect(scenesOf(plan, 'grid_view').flatMap(({ tiles }) => tiles.map(({ participantId }) => participantId))).toEqual(['ann'])
})

test('assigns speech in the mix to its speaker', () => {
  const facts = [...sound('1-1', null, 9_000, true), ...sound('1-3', 'ben', null), speech('ben', '1-3')]
  const present = [{ fromMs: 500, toMs: 9_000 }]
  const ben = planMedia({ facts }, [{ id: 'ben', name: 'Ben', present }]).participants.find(({ id }) => id === 'ben')
  expect(ben).toMatchObject({ name: 'Ben', present, speaking: [{ fromMs: 1_000, toMs: 2_000 }], runs: { audio: [] } })
})

test('divides a mix by the platform’s captions and leaves overlapping and unattributed audio in the mix', () => {
  const said = (participantId: string, fromMs: number, toMs: number): ManifestFact => ({
    fact: 'speech',
    trackId: '1-1',
    participantId,
    fromMs,
    toMs,
  })
  const facts = [...sound('1-1', null, 9_000, true), said('ann', 1_000, 3_000), said('ann', 2_900, 4_000), said('ben', 3_500, 6_000)]
  const { participants } = planMedia({ facts })
  const piecesOf = (id: string) =>
    participants
      .find((it) => it.id === id)
      ?.runs.audio.flatMap(({ segments }) => segments.map(({ within }) => [within?.fromMs, within?.toMs]))
  expect(piecesOf('ann')).toEqual([[1_000, 3_250]])
  expect(piecesOf('ben')).toEqual([[4_250, 6_000]])
  expect(piecesOf('unnamed:1-1')).toEqual([
    [0, 1_000],
    [3_250, 4_250],
    [6_000, 9_000],
  ])
  expect(participants.map(({ id, speaking }) => [id, speaking])).toContainEqual(['ann', [{ fromMs: 1_000, toMs: 4_000 }]])
  const trackIds = participants.flatMap(({ runs }) => runs.audio.map(({ trackId }) => trackId))
  expect(new Set(trackIds).size, 'track ids are unique').toBe(trackIds.length)
})

test('counts speech in a mix as unnamed only outside the turns of its named speakers', () => {
  const at = (participantId: string | null, fromMs: number, toMs: number): ManifestFact => ({
    fact: 'speech',
    trackId: '1-1',
    participantId,
    fromMs,
    toMs,
  })
  const facts = [...sound('1-1', null, 9_000, true), at(null, 900, 6_000), at('ann', 1_000, 3_000), at('ben', 4_000, 6_200)]
  const speaking = planMedia({ facts }).participants.map(({ id, speaking: spans }) => [id, spans])
  expect(new Map(speaking as [string, unknown][])).toEqual(
    new Map<string, unknown>([
      ['unnamed:1-1', [{ fromMs: 3_000, toMs: 4_000 }]],
      ['ann', [{ fromMs: 1_000, toMs: 3_000 }]],
      ['ben', [{ fromMs: 4_000, toMs: 6_200 }]],
    ]),
  )
})
