import { expect, test } from 'vitest'
import type { WorkspaceId } from '../../../domain/bot.ts'
import { createDeliveryIds } from './delivery-ids.ts'

const [ours, theirs] = ['wsp_ours' as WorkspaceId, 'wsp_theirs' as WorkspaceId]
const ids = createDeliveryIds('a secret key of this server')

test('decrypts an id to its number on every node with the same secret key', () => {
  for (const seq of [1, 2, 36 ** 9, Number.MAX_SAFE_INTEGER]) {
    expect(ids.seqOf(ours, ids.idOf(ours, seq))).toBe(seq)
    expect(createDeliveryIds('a secret key of this server').seqOf(ours, ids.idOf(ours, seq))).toBe(seq)
  }
})

test('gives consecutive numbers unordered ids', () => {
  const made = Array.from({ length: 100 }, (_, seq) => ids.idOf(ours, seq + 1))
  expect(new Set(made).size).toBe(100)
  expect(made).not.toEqual([...made].sort())
  const heads = new Set(made.map((id) => id.slice(0, 'dlv_'.length + 4)))
  expect(heads.size).toBeGreaterThan(90)
})

test('rejects an id of another workspace, of another key, or a modified id', () => {
  const id = ids.idOf(ours, 7)
  expect(ids.idOf(theirs, 7)).not.toBe(id)
  expect(ids.seqOf(theirs, id)).toBeNull()
  expect(createDeliveryIds('another secret key').seqOf(ours, id)).toBeNull()
  expect(ids.seqOf(ours, `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`)).toBeNull()
  for (const other of ['', 'dlv_', 'dlv_0000000001', 'dlv_'.padEnd(36, 'z'), `${id}0`, id.toUpperCase()])
    expect(ids.seqOf(ours, other)).toBeNull()
})
