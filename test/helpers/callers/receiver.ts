// A webhook receiver on loopback that records requests and answers as the test sets it.
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { until } from '../until.ts'

type Received = {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The raw bytes of the body. */
  readonly raw: Buffer
  // biome-ignore lint/suspicious/noExplicitAny: payloads are checked field by field in the tests.
  readonly body: any
  readonly at: number
}

export type Receiver = {
  readonly url: string
  readonly received: readonly Received[]
  /** The status of the next answers. `null` never answers. */
  answerWith(answer: (it: Received, response: ServerResponse) => void): void
  /** Waits for this many requests, and fails after the deadline. */
  waitFor(count: number, deadlineMs?: number): Promise<readonly Received[]>
  close(): Promise<void>
}

export async function startReceiver(port = 0): Promise<Receiver> {
  const received: Received[] = []
  let answer = (_it: Received, response: ServerResponse): void => void response.end('ok')
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const it = {
        path: request.url ?? '',
        headers: request.headers,
        raw: Buffer.concat(chunks),
        body: JSON.parse(Buffer.concat(chunks).toString()),
        at: performance.now(),
      }
      received.push(it)
      answer(it, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answerWith(next) {
      answer = next
    },
    async waitFor(count, deadlineMs = 10_000) {
      await until(`${count} deliveries (${received.length} so far)`, async () => received.length >= count, deadlineMs)
      return received
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
