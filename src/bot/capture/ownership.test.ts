import { expect, test } from 'vitest'
import { type Owner, Ownership } from './ownership.ts'

const PATIENCE_MS = 750
const owner = (participantId: string | null): Owner => ({ participantId, kind: 'audio' })

function owned(by: string | null, patienceMs = PATIENCE_MS): Ownership {
  const ownership = new Ownership(owner(null), patienceMs)
  if (by !== null) ownership.assign(owner(by), 0)
  return ownership
}

test('the first owner is named, and has everything from before', () => {
  const ownership = owned(null)
  expect(ownership.assign(owner('ada'), 1_000)).toEqual({ kind: 'named', owner: owner('ada') })
  expect(ownership.assign(owner('ada'), 2_000)).toBeNull()
  expect(ownership.owner).toEqual(owner('ada'))
})

test('another owner, or another kind of the same one, is a change', () => {
  const ownership = owned('ada')
  expect(ownership.assign(owner('ben'), 1_000)).toEqual({ kind: 'changed', owner: owner('ben'), sinceMs: 1_000 })
  const screen = { participantId: 'ben', kind: 'screen' } as const
  expect(ownership.assign(screen, 2_000)).toEqual({ kind: 'changed', owner: screen, sinceMs: 2_000 })
})

test('an owner who leaves keeps their last packets, and loses later ones to an unknown owner', () => {
  const ownership = owned('ada')
  expect(ownership.assign(owner(null), 1_000)).toBeNull()
  expect([ownership.onPacket(1_150), ownership.owner]).toEqual([null, owner('ada')])
  expect(ownership.onPacket(1_151)).toEqual({ kind: 'changed', owner: owner(null), sinceMs: 1_000 })
  expect(ownership.onPacket(1_200)).toBeNull()
})

test('an owner who leaves in silence is forgotten when the patience ends', () => {
  const ownership = owned('ada')
  ownership.assign(owner(null), 1_000)
  expect(ownership.tick(1_750)).toBeNull()
  expect(ownership.tick(1_751)).toEqual({ kind: 'changed', owner: owner(null), sinceMs: 1_751 })
})

test('an owner who follows one that left has the source since the other left', () => {
  const ownership = owned('ada')
  ownership.assign(owner(null), 1_000)
  ownership.assign(owner(null), 1_300)
  expect(ownership.assign(owner('ben'), 1_500)).toEqual({ kind: 'changed', owner: owner('ben'), sinceMs: 1_000 })
})

test('an owner who comes back in time never left', () => {
  const ownership = owned('ada')
  ownership.assign(owner(null), 1_000)
  expect(ownership.assign(owner('ada'), 1_100)).toBeNull()
  expect([ownership.onPacket(5_000), ownership.tick(5_000), ownership.owner]).toEqual([null, null, owner('ada')])
})

test('a source without patience loses its owner at once', () => {
  expect(owned('ada', 0).assign(owner(null), 1_000)).toEqual({ kind: 'changed', owner: owner(null), sinceMs: 1_000 })
})
