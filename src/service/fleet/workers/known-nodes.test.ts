import { expect, test } from 'vitest'
import type { NodeReply } from '../node/node-questions.ts'
import { KnownNodes } from './known-nodes.ts'

const [B, C] = ['node_b', 'node_c'].map((id) => ({ id, address: `http://${id}`, key: id })) as [NodeOf, NodeOf]
type NodeOf = { readonly id: string; readonly address: string; readonly key: string }

async function promisedBy(replies: Readonly<Record<string, NodeReply>>, others: readonly NodeOf[] = [B, C]): Promise<number> {
  const read = async () => ({ others, knows: 'now' })
  const known = new KnownNodes({ read, ask: async ({ id }) => replies[id] ?? 'silent', nowMs: () => 0 })
  await known.refresh()
  return known.promisedMs()
}

const promise = (promisedMs: number): NodeReply => ({ promisedMs, holds: false })

test('is promised what every known node promises', async () => {
  expect(await promisedBy({ node_b: promise(15_000), node_c: promise(9_000) })).toBe(9_000)
})

test.each([
  { why: 'one node reaches the database', replies: { node_b: promise(15_000), node_c: promise(0) } },
  { why: 'one node does not answer', replies: { node_b: promise(15_000) } },
  { why: 'one node is gone', replies: { node_b: promise(15_000), node_c: 'gone' as const } },
])('is promised nothing if $why', async ({ replies }) => {
  expect(await promisedBy(replies)).toBe(0)
})

test('asks the other nodes only if the first one promises', async () => {
  const asked: string[] = []
  let promisedMs = 0
  const read = async () => ({ others: [B, C], knows: 'now' })
  const ask = async ({ id }: NodeOf) => asked.push(id) > 0 && promise(promisedMs)
  const known = new KnownNodes({ read, ask: async (node) => (await ask(node)) || 'silent', nowMs: () => 0 })
  await known.refresh()
  await known.promisedMs()
  await known.promisedMs()
  expect(asked.toSorted()).toEqual(['node_b', 'node_c'])
  promisedMs = 15_000
  await known.promisedMs()
  expect(asked).toHaveLength(4)
})

test('needs no promise if it knows no other node', async () => {
  expect(await promisedBy({}, [])).toBe(Number.POSITIVE_INFINITY)
})

test('is promised nothing while its own row is missing', async () => {
  const known = new KnownNodes({ read: async () => null, ask: async () => promise(15_000), nowMs: () => 0 })
  expect([await known.refresh(), await known.promisedMs()]).toEqual([null, 0])
})

test('reads its list again after five seconds, and keeps it while the database does not answer', async () => {
  let nowMs = 0
  let reads = 0
  const read = async () => {
    reads += 1
    if (reads === 2) throw new Error('no answer')
    return { others: [B], knows: `read ${reads}` }
  }
  const known = new KnownNodes({ read, ask: async () => promise(15_000), nowMs: () => nowMs })
  expect(await known.refresh()).toBe('read 1')
  nowMs = 4_000
  expect(await known.refresh()).toBe('read 1')
  nowMs = 6_000
  await expect(known.refresh()).rejects.toThrow('no answer')
  expect(await known.promisedMs()).toBe(15_000)
  expect(await known.refresh()).toBe('read 3')
})
