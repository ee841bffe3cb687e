// A small HTTP server for protocol simulators: routes by pattern, injected faults, and a log of requests.
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Asked = {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  /** Parsed JSON or form. */
  readonly body: Readonly<Record<string, unknown>>
  /** The groups of the route's pattern. */
  readonly parts: readonly string[]
}

export type Reply = { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown }

export type Route = { readonly method: string; readonly path: RegExp; readonly answer: (asked: Asked) => Reply | Promise<Reply> }

/** Answers the next requests to matching paths with this. */
type Fault = Reply & { readonly path: RegExp; times: number }

export type SimServer = {
  readonly url: string
  readonly asked: readonly Asked[]
  fail(fault: Omit<Fault, 'times'> & { readonly times?: number }): void
  close(): Promise<void>
}

export async function serve(routes: readonly Route[]): Promise<SimServer> {
  const asked: Asked[] = []
  const faults: Fault[] = []

  async function answer(request: Omit<Asked, 'parts'>): Promise<Reply> {
    const fault = faults.find(({ path, times }) => times > 0 && path.test(request.path))
    if (fault) {
      fault.times -= 1
      return fault
    }
    for (const route of routes) {
      const found = route.method === request.method ? route.path.exec(request.path) : null
      if (found) return route.answer({ ...request, parts: found.slice(1).map(decodeURIComponent) })
    }
    return { status: 404, body: { error: { code: 404, message: 'Not Found' } } }
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      const url = new URL(request.url ?? '/', 'http://sim')
      const it = {
        method: request.method ?? 'GET',
        path: url.pathname,
        query: url.searchParams,
        headers: request.headers,
        body: parsed(Buffer.concat(chunks).toString(), request.headers['content-type']),
      }
      asked.push({ ...it, parts: [] })
      const { status = 200, headers, body } = await answer(it)
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(body === undefined ? '' : JSON.stringify(body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    fail: ({ times = 1, ...fault }) => void faults.push({ ...fault, times }),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

function parsed(text: string, type: string | undefined): Asked['body'] {
  if (text === '') return {}
  return type?.includes('x-www-form-urlencoded') ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text)
}
