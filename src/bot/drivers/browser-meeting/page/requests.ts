/// <reference lib="dom" />
// Reports copies of the page's responses, web socket frames and calls of bound functions, without changing them.

import type { Report } from './hidden-binding.ts'
import type { Listened } from './listeners.ts'

/** `data`: the body is already base64. `text`: it is text. */
type Field = 'data' | 'text'
type Row = { readonly kind: string; readonly part: string; readonly field: Field }

export function followRequests({ answers, texts = {} }: Pick<Listened, 'answers' | 'texts'>, report: Report): void {
  const rowsOf = (parts: Readonly<Record<string, string>>, field: Field) =>
    Object.entries(parts).map(([kind, part]): Row => ({ kind, part, field }))
  const [encoded, plain] = [rowsOf(answers, 'data'), rowsOf(texts, 'text')]
  if (encoded.length + plain.length > 0) followFetch([...encoded, ...plain], report)
  if (plain.length > 0) followXhr(plain, report)
}

function followFetch(rows: readonly Row[], report: Report): void {
  const native = window.fetch
  // An arrow function has no `prototype`, like the browser's own function.
  const fetch = (...args: Parameters<typeof native>): Promise<Response> => {
    const answer = native.apply(window, args)
    const address = args[0] instanceof Request ? args[0].url : String(args[0])
    for (const { kind, part, field } of rows) {
      if (!address.includes(part)) continue
      const copy = async (response: Response): Promise<void> =>
        report(response.ok ? { kind, [field]: await response.text() } : { kind, status: response.status })
      answer.then((response) => copy(response.clone())).catch(() => undefined)
    }
    return answer
  }
  Object.assign(window, { fetch })
}

function followXhr(rows: readonly Row[], report: Report): void {
  const { prototype } = XMLHttpRequest
  const native = prototype.open as (this: XMLHttpRequest, ...args: unknown[]) => void
  Object.assign(prototype, {
    open(this: XMLHttpRequest, ...args: unknown[]): void {
      const address = String(args[1])
      for (const { kind } of rows.filter(({ part }) => address.includes(part)))
        this.addEventListener('load', () => report(this.status < 300 ? { kind, text: textOf(this) } : { kind, status: this.status }))
      native.apply(this, args)
    },
  })
}

function textOf({ responseType, response }: XMLHttpRequest): string {
  return responseType === 'json' ? JSON.stringify(response) : String(response)
}

export function followSockets(sockets: Readonly<Record<string, string>>, report: Report): void {
  window.WebSocket = new Proxy(WebSocket, {
    construct(target, args: ConstructorParameters<typeof WebSocket>, newTarget) {
      const socket = Reflect.construct(target, args, newTarget) as WebSocket
      for (const [kind, part] of Object.entries(sockets)) {
        if (!String(args[0]).includes(part)) continue
        socket.addEventListener('message', ({ data }: MessageEvent<unknown>) => typeof data === 'string' && report({ kind, text: data }))
      }
      return socket
    },
  })
}

/** A client with its messages in a worker binds the function that receives them. `bound`: names by kind. */
export function followBound(bound: Readonly<Record<string, string>>, report: Report): void {
  const kinds = new Map(Object.entries(bound).map(([kind, name]) => [name, kind]))
  const { bind } = Function.prototype
  const follow = (kind: string, event: unknown): void => {
    const data: unknown = Reflect.get(Object(event), 'data')
    if (typeof data === 'object' && data !== null) report({ kind, text: JSON.stringify(data) })
  }
  Object.assign(Function.prototype, {
    bind(this: (...args: unknown[]) => unknown, ...args: [unknown, ...unknown[]]): unknown {
      const result = bind.apply(this, args)
      const kind = kinds.get(this.name)
      if (kind === undefined) return result
      return new Proxy(result, {
        apply(target, self, given: unknown[]) {
          // An event that cannot be copied must still reach the page.
          try {
            follow(kind, given[0])
          } catch {}
          return Reflect.apply(target, self, given)
        },
      })
    },
  })
}
