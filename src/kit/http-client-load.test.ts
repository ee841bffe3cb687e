// The HTTP client with many receivers: a hanging one delays no other, and idle ones leave no connection behind.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test, vi } from 'vitest'
import { createHttpClient } from './http-client.ts'

/** Each name is one origin. The server never answers names that begin with "hangs". */
async function receivers(timeoutMs: number) {
  const server = createServer((incoming, answer) => {
    if (!incoming.headers.host?.startsWith('hangs')) answer.end('ok')
  })
  server.listen(0, '127.0.0.1', 2_048)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const http = createHttpClient({
    allowPrivate: true,
    timeoutMs,
    idleMs: 300,
    lookup: async () => [{ address: '127.0.0.1', family: 4 }],
  })
  return {
    http,
    post: (name: string, signal = new AbortController().signal) => http.post(`http://${name}.example:${port}/`, { body: '{}', signal }),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await http.close()
    },
  }
}

test('answers 900 receivers while 100 others hang', async () => {
  const { post, close } = await receivers(15_000)
  const caller = new AbortController()
  const hanging = Array.from({ length: 100 }, (_, number) => post(`hangs-${number}`, caller.signal))
  const firstToGiveUp = Promise.race(hanging).catch((error: unknown) => error)
  const answers = Promise.all(Array.from({ length: 900 }, (_, number) => post(`answers-${number}`)))
  // Judged by order, not by the clock: a request that waited for a hanging one would settle after it.
  expect(await Promise.race([answers.then((all) => all.filter(({ status }) => status === 200).length), firstToGiveUp])).toBe(900)

  caller.abort(new Error('enough'))
  for (const { status } of await Promise.allSettled(hanging)) expect(status).toBe('rejected')
  await close()
}, 30_000)

test('closes the connections of an origin that is idle, refused or aborted', async () => {
  const { http, post, close } = await receivers(3_000)
  let most = 0
  // Counted right after an answer: a moment later all pools may be idle and closed.
  const postAndCount = async (path: string) => {
    await post(path)
    most = Math.max(most, http.openOrigins())
  }
  for (let round = 0; round < 10; round += 1)
    await Promise.all(Array.from({ length: 200 }, (_, number) => postAndCount(`answers-${round}-${number}`)))
  expect(most).toBeGreaterThan(0)
  await post('hangs').catch(() => undefined)
  await http.post('http://127.0.0.1:1/', { body: '' }).catch(() => undefined)
  await vi.waitFor(() => expect(http.openOrigins()).toBe(0), { timeout: 5_000, interval: 50 })
  await close()
}, 30_000)

test('closes the pool of an origin that never connected', async () => {
  const http = createHttpClient({ allowPrivate: true, timeoutMs: 100, idleMs: 300, lookup: () => new Promise(() => undefined) })
  await Promise.all(
    Array.from({ length: 50 }, (_, number) => http.post(`http://silent-${number}.example/`, { body: '' }).catch(() => undefined)),
  )
  await vi.waitFor(() => expect(http.openOrigins()).toBe(0), { timeout: 5_000, interval: 50 })
  await http.close()
}, 20_000)
