// What names each participant, in calls whose packets name a source and in calls whose packets name none.
import { expect, test } from 'vitest'
import type { StreamUpdate, UserUpdate } from './messages.ts'
import { Roster } from './roster.ts'

const person = (id: string): UserUpdate => ({ id, name: id, presence: 'here', isSelf: false, parentId: null, isHost: null })
const audio = (userId: string, streamId: string): StreamUpdate => ({ userId, kind: 'audio', streamId, disabled: false })

function call() {
  const roster = new Roster(
    {},
    () => undefined,
    () => undefined,
  )
  const streams = [audio('ann', '100'), audio('ben', '200'), audio('cy', '300')]
  roster.apply({ kind: 'changes', users: ['ann', 'ben', 'cy'].map(person), streams, chat: [] }, 0)
  const attributions = (at: number) => {
    roster.see([], at)
    return roster.at(at).attributions
  }
  return { roster, attributions }
}

/** Ben speaks by the dominant speaker, then Cy by a caption. */
function speakUnnamed({ roster }: ReturnType<typeof call>): void {
  roster.apply({ kind: 'dominant', streamId: '100' }, 1_000)
  roster.apply({ kind: 'dominant', streamId: '200' }, 2_000)
  roster.apply({ kind: 'sound', isAudible: true, agoMs: 0 }, 2_000)
  roster.apply({ kind: 'sound', isAudible: false, agoMs: 0 }, 4_000)
  const caption = { id: '1', userId: 'cy', version: 0, final: true, text: 'Hello', spoken: { fromMs: 5_000, toMs: 6_000 } }
  roster.apply({ kind: 'caption', caption }, 7_000)
}

test('names speakers by the platform and by captions where packets name no source, though sources are listed', () => {
  const it = call()
  speakUnnamed(it)
  expect(it.attributions(8_000)).toEqual({ ann: 'list', ben: 'platform', cy: 'captions' })
})

test('names all by the list as soon as a packet names a source', () => {
  const it = call()
  speakUnnamed(it)
  it.roster.apply({ kind: 'voice', sources: [100] }, 8_000)
  expect(it.attributions(9_000)).toEqual({ ann: 'list', ben: 'list', cy: 'list' })
})

test('distinguishes a track of one participant from a source of packets', () => {
  const it = call()
  it.roster.apply({ kind: 'changes', users: [], streams: [audio('ben', 'a-track')], chat: [] }, 1_000)
  expect(it.attributions(2_000)).toEqual({ ann: 'list', ben: 'track', cy: 'list' })
})
