// The caller's webhook receiver: reports each event and lets the demo wait for one.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Event = { readonly event: string; readonly bot_event: string; readonly message: string }

export type WebhookReceiver = {
  readonly url: string
  /** Resolves when the event has arrived. */
  until(name: string): Promise<void>
  close(): Promise<void>
}

const LONGEST_WAIT_MS = 120_000

export async function listen(onEvent: (event: Event) => void): Promise<WebhookReceiver> {
  const received = new Set<string>()
  const waiting: { readonly name: string; readonly resolve: () => void }[] = []
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    response.end()
    const event = JSON.parse(Buffer.concat(parts).toString()) as Event
    received.add(event.event)
    onEvent(event)
    for (const { name, resolve } of waiting) if (received.has(name)) resolve()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    until(name) {
      if (received.has(name)) return Promise.resolve()
      return new Promise((resolve, reject) => {
        waiting.push({ name, resolve })
        setTimeout(() => reject(new Error(`The bot did not report ${name} within two minutes.`)), LONGEST_WAIT_MS).unref()
      })
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
