// The way out with many receivers: those that hang slow no other, and those that are done with leave nothing behind.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test, vi } from 'vitest'
import { createOutgoing } from './outgoing.ts'

/** Every name is one origin; names that begin with "hangs" are never answered. */
async function receivers(timeoutMs: number) {
  const server = createServer((incoming, answer) => {
    if (!incoming.headers.host?.startsWith('hangs')) answer.end('ok')
  })
  server.listen(0, '127.0.0.1', 2_048)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const outgoing = createOutgoing({
    allowPrivate: true,
    timeoutMs,
    idleMs: 300,
    lookup: async () => [{ address: '127.0.0.1', family: 4 }],
  })
  return {
    outgoing,
    post: (name: string, signal = new AbortController().signal) => outgoing.post(`http://${name}.example:${port}/`, { body: '{}', signal }),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await outgoing.close()
    },
  }
}

test('of a thousand receivers a hundred hang, and the others do not wait for them', async () => {
  const { post, close } = await receivers(15_000)
  const caller = new AbortController()
  const hanging = Array.from({ length: 100 }, (_, number) => post(`hangs-${number}`, caller.signal))
  const firstToGiveUp = Promise.race(hanging).catch((error: unknown) => error)
  const answers = Promise.all(Array.from({ length: 900 }, (_, number) => post(`answers-${number}`)))
  // By order, not by the clock: whoever waited for one that hangs would come after it.
  expect(await Promise.race([answers.then((all) => all.filter(({ status }) => status === 200).length), firstToGiveUp])).toBe(900)

  caller.abort(new Error('enough'))
  for (const { status } of await Promise.allSettled(hanging)) expect(status).toBe('rejected')
  await close()
}, 30_000)

test('an origin is forgotten once its connections are idle, refused or cut', async () => {
  const { outgoing, post, close } = await receivers(3_000)
  let most = 0
  // Counted when an answer has come: a moment later they may all be idle for long enough.
  const postAndCount = async (path: string) => {
    await post(path)
    most = Math.max(most, outgoing.openOrigins())
  }
  for (let round = 0; round < 10; round += 1)
    await Promise.all(Array.from({ length: 200 }, (_, number) => postAndCount(`answers-${round}-${number}`)))
  expect(most).toBeGreaterThan(0)
  await post('hangs').catch(() => undefined)
  await outgoing.post('http://127.0.0.1:1/', { body: '' }).catch(() => undefined)
  await vi.waitFor(() => expect(outgoing.openOrigins()).toBe(0), { timeout: 5_000, interval: 50 })
  await close()
}, 30_000)

test('an origin whose connection never comes about is forgotten too', async () => {
  const outgoing = createOutgoing({ allowPrivate: true, timeoutMs: 100, idleMs: 300, lookup: () => new Promise(() => undefined) })
  await Promise.all(
    Array.from({ length: 50 }, (_, number) => outgoing.post(`http://silent-${number}.example/`, { body: '' }).catch(() => undefined)),
  )
  await vi.waitFor(() => expect(outgoing.openOrigins()).toBe(0), { timeout: 5_000, interval: 50 })
  await outgoing.close()
}, 20_000)
