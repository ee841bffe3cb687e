// The listeners for the page's requests, sockets and bound functions: they report copies, and the page works as before.
import { afterEach, expect, test, vi } from 'vitest'
import { followBound, followRequests, followSockets } from './page/requests.ts'

afterEach(() => void vi.unstubAllGlobals())

function reports() {
  const reported: object[] = []
  return { reported, report: (message: object) => void reported.push(message) }
}

test('reports responses with a matching URL, as base64 or text, and failures with their status', async () => {
  const { reported, report } = reports()
  const answers: Record<string, Response> = { '/a/bytes': new Response('AAEC'), '/b/list': new Response('{"x":1}') }
  const fetchOf = (address: string) => Promise.resolve(answers[address] ?? new Response('busy', { status: 429 }))
  vi.stubGlobal('window', { fetch: (address: string) => fetchOf(address) })
  vi.stubGlobal(
    'XMLHttpRequest',
    class {
      open(): void {}
    },
  )
  followRequests({ answers: { bytes: 'bytes' }, texts: { list: '/list' } }, report)
  const read = await Promise.all(['/a/bytes', '/b/list', '/c/list', '/other'].map(async (it) => (await window.fetch(it)).text()))
  expect(read, 'the page has them, too').toEqual(['AAEC', '{"x":1}', 'busy', 'busy'])
  await vi.waitFor(() => expect(reported).toHaveLength(3))
  expect(reported).toEqual(
    expect.arrayContaining([
      { kind: 'bytes', data: 'AAEC' },
      { kind: 'list', text: '{"x":1}' },
      { kind: 'list', status: 429 },
    ]),
  )
})

test('leaves fetch and XMLHttpRequest alone where no response is read', () => {
  const { report } = reports()
  const fetch = () => Promise.resolve(new Response(''))
  vi.stubGlobal('window', { fetch })
  followRequests({ answers: {} }, report)
  expect(window.fetch).toBe(fetch)
})

test('reports an XMLHttpRequest as text for every response type', () => {
  const { reported, report } = reports()
  class Request extends EventTarget {
    status = 200
    responseType = 'json'
    response: unknown = { x: 1 }
    opened: unknown[] = []
    open(...args: unknown[]): void {
      this.opened = args
    }
  }
  vi.stubGlobal('window', { fetch: () => Promise.resolve(new Response('')) })
  vi.stubGlobal('XMLHttpRequest', Request)
  followRequests({ answers: {}, texts: { list: '/list' } }, report)
  const request = new Request()
  request.open('GET', 'https://x.example/list')
  request.dispatchEvent(new Event('load'))
  expect([request.opened, reported]).toEqual([['GET', 'https://x.example/list'], [{ kind: 'list', text: '{"x":1}' }]])
})

test('reports text frames of sockets with a matching URL, and leaves the WebSocket class intact', () => {
  const { reported, report } = reports()
  class Socket extends EventTarget {
    readonly url: string
    constructor(url: string) {
      super()
      this.url = url
    }
    brings(data: unknown): void {
      this.dispatchEvent(Object.assign(new Event('message'), { data }))
    }
  }
  vi.stubGlobal('WebSocket', Socket)
  vi.stubGlobal('window', globalThis)
  followSockets({ push: 'push.example' }, report)
  const [push, other] = ['wss://push.example/x', 'wss://other.example'].map((url) => new WebSocket(url) as unknown as Socket)
  push?.brings('3:::{}')
  push?.brings(new ArrayBuffer(2))
  other?.brings('secret')
  expect([reported, push instanceof Socket, push?.url]).toEqual([[{ kind: 'push', text: '3:::{}' }], true, 'wss://push.example/x'])
})

test('reports the data of a bound function, and still calls it', () => {
  const { reported, report } = reports()
  const native = Function.prototype.bind
  try {
    followBound({ chat: 'onMessageReceived' }, report)
    const page = { name: 'page', onMessageReceived: (event: { data: unknown }) => event.data, onOther: (event: unknown) => event }
    const circular: Record<string, unknown> = {}
    circular.self = circular
    const [bound, other] = [page.onMessageReceived.bind(page), page.onOther.bind(page)]
    expect([bound({ data: { a: 1 } }), bound({ data: circular }), bound({ data: null }), other({ data: 2 })]).toEqual([
      ...[{ a: 1 }, circular, null, { data: 2 }],
    ])
    function whose(this: { readonly name: string }, more: string): string {
      return this.name + more
    }
    expect(whose.bind(page, '!')()).toBe('page!')
  } finally {
    Object.assign(Function.prototype, { bind: native })
  }
  expect(reported).toEqual([{ kind: 'chat', text: '{"a":1}' }])
})
