// A collector of traces on loopback, from the specification of OTLP over HTTP with JSON: POST /v1/traces.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

type Attribute = { readonly key: string; readonly value: { readonly stringValue?: string; readonly intValue?: number | string } }

type CollectedSpan = {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly Attribute[]
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[]
  readonly status?: { readonly code?: number }
  /** Of the process that sent it. */
  readonly resource: readonly Attribute[]
}

type TraceRequest = {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly Omit<CollectedSpan, 'resource'>[] }[]
  }[]
}

export type Collector = { readonly url: string; readonly spans: readonly CollectedSpan[]; close(): Promise<void> }

export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (request.method !== 'POST' || request.url !== '/v1/traces') return void response.writeHead(404).end()
    const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString()) as TraceRequest
    for (const { resource, scopeSpans } of resourceSpans)
      for (const scope of scopeSpans) spans.push(...scope.spans.map((span) => ({ ...span, resource: resource.attributes })))
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

export function attributeOf(attributes: readonly Attribute[], key: string): string | undefined {
  const value = attributes.find((it) => it.key === key)?.value
  return value?.stringValue ?? value?.intValue?.toString()
}
