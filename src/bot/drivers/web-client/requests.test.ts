// What the page's requests, sockets and bound functions bring is reported, and reaches the page as it was.
import { afterEach, expect, test, vi } from 'vitest'
import { followBound, followRequests, followSockets } from './page/requests.ts'

afterEach(() => void vi.unstubAllGlobals())

function reports() {
  const told: object[] = []
  return { told, report: (message: object) => void told.push(message) }
}

test('answers are reported by a part of their address, as base64 or as text, and failures with their status', async () => {
  const { told, report } = reports()
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
  await vi.waitFor(() => expect(told).toHaveLength(3))
  expect(told).toEqual(
    expect.arrayContaining([
      { kind: 'bytes', data: 'AAEC' },
      { kind: 'list', text: '{"x":1}' },
      { kind: 'list', status: 429 },
    ]),
  )
})

test('an XMLHttpRequest is reported in text, whatever type the page asked for', () => {
  const { told, report } = reports()
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
  expect([request.opened, told]).toEqual([['GET', 'https://x.example/list'], [{ kind: 'list', text: '{"x":1}' }]])
})

test('text frames of a socket are reported by a part of its address, and its class stays what it was', () => {
  const { told, report } = reports()
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
  expect([told, push instanceof Socket, push?.url]).toEqual([[{ kind: 'push', text: '3:::{}' }], true, 'wss://push.example/x'])
})

test('what a bound function of that name receives is reported, and it does what it did', () => {
  const { told, report } = reports()
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
  expect(told).toEqual([{ kind: 'chat', text: '{"a":1}' }])
})
