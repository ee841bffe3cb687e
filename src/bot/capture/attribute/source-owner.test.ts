import { expect, test } from 'vitest'
import { type Owner, SourceOwner } from './source-owner.ts'

const GRACE_MS = 750
const owner = (participantId: string | null): Owner => ({ participantId, kind: 'audio' })

function owned(by: string | null, graceMs = GRACE_MS): SourceOwner {
  const source = new SourceOwner(owner(null), graceMs)
  if (by !== null) source.assign(owner(by), 0)
  return source
}

test('names the first owner once', () => {
  const source = owned(null)
  expect(source.assign(owner('ada'), 1_000)).toEqual({ kind: 'named', owner: owner('ada') })
  expect(source.assign(owner('ada'), 2_000)).toBeNull()
  expect(source.current).toEqual(owner('ada'))
})

test('reports a change for another owner and for another kind of the same owner', () => {
  const source = owned('ada')
  expect(source.assign(owner('ben'), 1_000)).toEqual({ kind: 'changed', owner: owner('ben'), sinceMs: 1_000 })
  const screen = { participantId: 'ben', kind: 'screen' } as const
  expect(source.assign(screen, 2_000)).toEqual({ kind: 'changed', owner: screen, sinceMs: 2_000 })
})

test('keeps the last packets of an owner who left, and gives later ones to an unknown owner', () => {
  const source = owned('ada')
  expect(source.assign(owner(null), 1_000)).toBeNull()
  expect([source.onPacket(1_150), source.current]).toEqual([null, owner('ada')])
  expect(source.onPacket(1_151)).toEqual({ kind: 'changed', owner: owner(null), sinceMs: 1_000 })
  expect(source.onPacket(1_200)).toBeNull()
})

test('drops an owner who left in silence once the grace time is over', () => {
  const source = owned('ada')
  source.assign(owner(null), 1_000)
  expect(source.tick(1_750)).toBeNull()
  expect(source.tick(1_751)).toEqual({ kind: 'changed', owner: owner(null), sinceMs: 1_751 })
})

test('dates a new owner from the time at which the old one left', () => {
  const source = owned('ada')
  source.assign(owner(null), 1_000)
  source.assign(owner(null), 1_300)
  expect(source.assign(owner('ben'), 1_500)).toEqual({ kind: 'changed', owner: owner('ben'), sinceMs: 1_000 })
})

test('reports no change for an owner who returns within the grace time', () => {
  const source = owned('ada')
  source.assign(owner(null), 1_000)
  expect(source.assign(owner('ada'), 1_100)).toBeNull()
  expect([source.onPacket(5_000), source.tick(5_000), source.current]).toEqual([null, null, owner('ada')])
})

test('drops the owner at once without a grace time', () => {
  expect(owned('ada', 0).assign(owner(null), 1_000)).toEqual({ kind: 'changed', owner: owner(null), sinceMs: 1_000 })
})
