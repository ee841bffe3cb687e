/// <reference lib="dom" />
// Reports copies of messages that the page's workers forward, without changing them.
import type { Report } from './hidden-binding.ts'

/** A client whose connection lives in a worker gets each message as `{type: "message", data}`, with JSON as text or as an object. */
export function followWorkers(kind: string, report: Report): void {
  window.Worker = new Proxy(Worker, {
    construct(target, args: ConstructorParameters<typeof Worker>, newTarget) {
      const worker = Reflect.construct(target, args, newTarget) as Worker
      worker.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
        const text = carriedBy(data)
        if (text !== null) report({ kind, text })
      })
      return worker
    },
  })
}

/** Null where it carries no message. */
function carriedBy(message: unknown): string | null {
  if (typeof message !== 'object' || message === null || Reflect.get(message, 'type') !== 'message') return null
  const data: unknown = Reflect.get(message, 'data')
  if (typeof data === 'string') return data
  return isPlain(data) ? JSON.stringify(data) : null
}

/** Media arrive as buffers. */
function isPlain(data: unknown): boolean {
  return typeof data === 'object' && data !== null && Object.getPrototypeOf(data) === Object.prototype
}
