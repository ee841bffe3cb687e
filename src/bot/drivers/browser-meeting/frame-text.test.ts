import type { Frame } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { frameText } from './frame-text.ts'

/** A frame of this size with a text, and with frames in it. `dispose`: frees the handle of its element. */
function frame(text: string, size: { readonly width: number; readonly height: number }, ...children: readonly Frame[]) {
  const dispose = vi.fn(async () => undefined)
  const element = { isVisible: async () => true, boundingBox: async () => ({ x: 0, y: 0, ...size }), dispose }
  const it = { childFrames: () => children, frameElement: async () => element, evaluate: async () => text } as unknown as Frame
  return { it, dispose }
}

const LARGE = { width: 640, height: 360 }

test('reads large frames and the frames in them, and frees the handles of their elements', async () => {
  const inner = frame('Blocked', LARGE)
  const [outer, badge] = [frame('Please wait', LARGE, inner.it), frame('3', { width: 20, height: 20 })]
  expect(await frameText(frame('', LARGE, outer.it, badge.it).it)).toBe('Please wait\nBlocked')
  for (const { dispose } of [inner, outer, badge]) expect(dispose).toHaveBeenCalledOnce()
})
