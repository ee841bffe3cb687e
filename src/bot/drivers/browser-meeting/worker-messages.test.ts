// The listener for the page's workers: it reports forwarded messages only.
import { afterEach, expect, test, vi } from 'vitest'
import { followWorkers } from './page/worker-messages.ts'

afterEach(() => void vi.unstubAllGlobals())

test('reports messages that carry JSON, and leaves them to the page', () => {
  vi.stubGlobal('Worker', class extends EventTarget {})
  vi.stubGlobal('window', globalThis)
  const reported: object[] = []
  followWorkers('signalling', (message) => reported.push(message))
  const worker = new Worker('worker.js')
  const received: unknown[] = []
  worker.addEventListener('message', ({ data }) => received.push(data))
  const messages = [{ type: 'message', data: '{"a":1}' }, { type: 'message', data: { b: 2 } }, { type: 'other', data: '{}' }, null, 'x']
  const media = { type: 'message', data: new ArrayBuffer(8) }
  for (const data of [...messages, media]) worker.dispatchEvent(Object.assign(new Event('message'), { data }))
  expect(reported).toEqual([
    { kind: 'signalling', text: '{"a":1}' },
    { kind: 'signalling', text: '{"b":2}' },
  ])
  expect(received).toHaveLength(6)
  expect(worker).toBeInstanceOf(Worker)
})
