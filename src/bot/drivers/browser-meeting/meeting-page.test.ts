import type { Browser } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { MeetingPage } from './meeting-page.ts'

test('closes the context of a page that cannot be set up', async () => {
  const close = vi.fn(async () => undefined)
  const addInitScript = () => Promise.reject(new Error('Target closed'))
  const browser = { newContext: async () => ({ addInitScript, close }) } as unknown as Browser
  const options = { viewport: null, origins: [], scripts: ['0'], furnish: async () => undefined }
  await expect(MeetingPage.open({ browser, display: null }, options)).rejects.toThrow('Target closed')
  expect(close).toHaveBeenCalledOnce()
})
