// The API reference page in a real browser, under its Content Security Policy.
import { chromium } from 'playwright-core'
import { expect, test } from 'vitest'
import { serviceForFile } from '../helpers/service/for-file.ts'

const service = serviceForFile()

test('shows operations, events and schemas, and runs only its own scripts', { timeout: 120_000 }, async () => {
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--headless=new', '--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
  })
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
    const problems: string[] = []
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    page.on('pageerror', (error) => problems.push(String(error)))
    page.on('requestfailed', (request) => problems.push(request.url()))
    await page.goto(`${service.url}/docs`)
    await page.getByText('Send a bot into a meeting').first().waitFor({ timeout: 100_000 })
    await page.goto(`${service.url}/docs#tag/events`)
    await page.getByText('bot.recording_permission_denied').first().waitFor({ timeout: 100_000 })
    await page.goto(`${service.url}/docs#models`)
    await page.getByText('AutomaticLeave').first().waitFor({ timeout: 100_000 })
    expect(problems).toEqual([])

    const hasRun = await page.evaluate(`(() => {
      const foreign = document.createElement('script')
      foreign.textContent = 'window.hasRun = true'
      document.head.append(foreign)
      return window.hasRun ?? false
    })()`)
    expect(hasRun).toBe(false)
  } finally {
    await browser.close()
  }
})
