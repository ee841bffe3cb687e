// The receivers of the `webhooks` bench in their own process: most answer at once, some accept and never answer.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type ReceiversOrder = { readonly own: number; readonly shared: number; readonly pathsEach: number; readonly hangsEvery: number }

export type Receiver = { readonly url: string; readonly hangs: boolean; readonly sharesOrigin: boolean }

export type Receipt = {
  readonly url: string
  readonly botId: string
  readonly eventId: string
  readonly sentAt: number
  readonly at: number
}

export type FromReceivers = { readonly receivers: readonly Receiver[] } | { readonly receipts: readonly Receipt[] }

const REPORT_EVERY_MS = 50

const [order] = (await once(process, 'message')) as [ReceiversOrder]
process.on('disconnect', () => process.exit(0))
let receipts: Receipt[] = []
const receivers = await open(order)
const hanging = new Set(receivers.filter(({ hangs }) => hangs).map(({ url }) => url))
report({ receivers })
setInterval(() => {
  if (receipts.length > 0) report({ receipts })
  receipts = []
}, REPORT_EVERY_MS)

function report(what: FromReceivers): void {
  process.send?.(what)
}

/** Linux answers on all of 127.0.0.0/8: many origins on one port that are not reachable from outside. */
async function open({ own, shared, pathsEach, hangsEvery }: ReceiversOrder): Promise<Receiver[]> {
  let port = 0
  const origins: string[] = []
  for (let index = 0; index < own + shared; index++) {
    const host = `127.77.${Math.floor(index / 250)}.${(index % 250) + 1}`
    const server = createServer(receive).listen({ host, port })
    // A receiver that closes idle connections early would distort the measurement.
    server.keepAliveTimeout = 60_000
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
    origins.push(`http://${host}:${port}`)
  }
  const alone = origins.slice(0, own).map((origin) => ({ url: `${origin}/hook`, sharesOrigin: false }))
  const combined = origins
    .slice(own)
    .flatMap((origin) => Array.from({ length: pathsEach }, (_, path) => ({ url: `${origin}/hook/${path}`, sharesOrigin: true })))
  return [...alone, ...combined].map((receiver, index) => ({ ...receiver, hangs: index % hangsEvery === 0 }))
}

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const at = performance.timeOrigin + performance.now()
  const url = `http://${request.headers.host}${request.url}`
  const { bot_id, event_id, timestamp } = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, string>
  receipts.push({ url, botId: bot_id ?? '', eventId: event_id ?? '', sentAt: Date.parse(timestamp ?? ''), at })
  if (!hanging.has(url)) response.writeHead(200).end()
}
