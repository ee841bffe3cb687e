import { expect, test } from 'vitest'
import { NetworkError } from '../../../kit/network-error.ts'
import { askNodesBy } from './node-questions.ts'

const OWN = 'http://nodes.example.com'

/** The reply of a node at this address, whose host answers with a status or refuses the connection. */
function replyOf(address: string, status: number | 'refused') {
  const request = async () => {
    if (status !== 'refused') return { status, body: Buffer.from('{"promisedMs":0,"holds":false}') }
    throw new NetworkError('refused', '', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) })
  }
  return askNodesBy({ request } as never, OWN)({ id: 'node_h', address, key: 'key' }, { kind: 'holds' })
}

test('reads the answer of a node', async () => {
  expect(await replyOf('http://10.0.0.7:4000', 200)).toEqual({ promisedMs: 0, holds: false })
})

test('takes a node for gone if its address refuses connections', async () => {
  expect(await replyOf('http://10.0.0.7:4000', 'refused')).toBe('gone')
})

test.each(['http://127.0.0.1:4000', 'http://[::1]:4000', 'http://localhost:4000', 'http://0.0.0.0:4000', 'http://[::]:4000', OWN])(
  'takes no node at %s for gone, because the address leads to other processes too',
  async (address) => {
    expect(await replyOf(address, 'refused')).toBe('silent')
  },
)

test('takes no node for gone because another process refuses its key', async () => {
  expect(await replyOf('http://10.0.0.7:4000', 404)).toBe('silent')
})
