// The way out with many receivers: those that hang slow no other, and those that are done with leave nothing behind.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test, vi } from 'vitest'
import { createOutgoing } from './outgoing.ts'

/** Every name is one origin; names that begin with "hangs" are never answered. */
async function receivers() {
  const server = createServer((incoming, answer) => {
    if (!incoming.headers.host?.startsWith('hangs')) answer.end('ok')
  })
  server.listen(0, '127.0.0.1', 2_048)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const outgoing = createOutgoing({
    allowPrivate: true,
    timeoutMs: 2_000,
    idleMs: 300,
    lookup: async () => [{ address: '127.0.0.1', family: 4 }],
  })
  return {
    outgoing,
    post: (name: string) => outgoing.post(`http://${name}.example:${port}/`, { body: '{}' }),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await outgoing.close()
    },
  }
}

test('of a thousand receivers a hundred hang, and the others do not wait for them', async () => {
  const { post, close } = await receivers()
  const hanging = Array.from({ length: 100 }, (_, number) => post(`hangs-${number}`).catch((error: unknown) => error))
  const startedAt = performance.now()
  const answers = await Promise.all(Array.from({ length: 900 }, (_, number) => post(`answers-${number}`)))
  expect(performance.now() - startedAt).toBeLessThan(1_800)
  expect(answers.every(({ status }) => status === 200)).toBe(true)

  for (const error of await Promise.all(hanging)) expect(error).toMatchObject({ reason: 'timeout' })
  await close()
}, 20_000)

test('an origin is forgotten once its connections are idle, refused or cut', async () => {
  const { outgoing, post, close } = await receivers()
  for (let round = 0; round < 10; round += 1)
    await Promise.all(Array.from({ length: 200 }, (_, number) => post(`answers-${round}-${number}`)))
  expect(outgoing.openOrigins()).toBeGreaterThan(0)
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
