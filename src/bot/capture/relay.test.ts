import { once } from 'node:events'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type LineEvents, openLine, startRelay } from './page/relay.ts'

/** A socket of the relay that opens by itself and keeps what it is given. */
class OpenSocket {
  static readonly CONNECTING = 0
  static readonly OPEN = 1
  static readonly sent: { readonly text: string; readonly data: string | Uint8Array<ArrayBuffer> }[] = []
  readonly readyState = OpenSocket.OPEN
  readonly bufferedAmount = 7
  onopen: (() => void) | null = null
  constructor() {
    queueMicrotask(() => this.onopen?.())
  }
  send(data: string | Uint8Array<ArrayBuffer>): void {
    OpenSocket.sent.push({ text: String(data), data })
  }
}

test('sends through the relay, which frees a sent batch at once', async () => {
  const scope: { onconnect?: (event: { ports: readonly MessagePort[] }) => void } = {}
  vi.stubGlobal('self', scope)
  vi.stubGlobal('WebSocket', OpenSocket)
  onTestFinished(() => void vi.unstubAllGlobals())
  startRelay()
  const { port1, port2 } = new MessageChannel()
  onTestFinished(() => port1.close())
  scope.onconnect?.({ ports: [port2] })

  const opened = Promise.withResolvers<void>()
  const events: LineEvents = { onOpen: opened.resolve, onText: () => undefined, onClose: () => undefined }
  const line = openLine('ws://127.0.0.1:1', port1, events)
  await opened.promise
  line.send('hello')
  const batch = Uint8Array.of(1, 2, 3)
  line.send(batch)
  expect(line.bufferedAmount).toBe(3)
  await once(port1 as unknown as EventTarget, 'message')

  expect(OpenSocket.sent.map(({ text }) => text)).toEqual(['hello', '1,2,3'])
  expect(OpenSocket.sent[1]?.data).toHaveProperty('buffer.detached', true)
  expect(line.bufferedAmount).toBe(7)
})
