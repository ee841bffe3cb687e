import { afterEach, expect, test, vi } from 'vitest'
import { nextTryMs } from './page/start.ts'

afterEach(() => void vi.unstubAllGlobals())

test.each([
  ['the pause of the answer', async () => new Response('5000'), 5_000],
  ['null for a final refusal', async () => new Response('null'), null],
  ['null for an error of the server', async () => new Response('5000', { status: 404 }), null],
  ['null for an answer that breaks off', async () => new Response('50,'), null],
  ['null without an answer', () => Promise.reject(new TypeError('Failed to fetch')), null],
])('gives %s', async (_what, fetch, pause) => {
  vi.stubGlobal('fetch', fetch)
  expect(await nextTryMs('http://127.0.0.1/next')).toBe(pause)
})
