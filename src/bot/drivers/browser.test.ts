// The command line of a bot's browser, written to a file by a program in its place.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { launchBrowser } from './browser.ts'
import { flagsFor } from './browser-flags.ts'

/** Flags by which Playwright reaches the browser. */
const DRIVEN = /^--(user-data-dir=.+|remote-debugging-pipe|no-startup-window|no-sandbox)$/

async function startedWith(own: readonly string[]): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'browser-flags-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [program, written] = [join(folder, 'chromium'), join(folder, 'flags')]
  writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$@" > ${written}\n`, { mode: 0o755 })
  await expect(launchBrowser(program, own)).rejects.toThrow()
  return readFileSync(written, 'utf8').trim().split('\n')
}

test('starts the browser with flags of the table and those of the operator only', async () => {
  const started = await startedWith(['--proxy-server=proxy.test:3128'])
  expect(started.filter((flag) => !DRIVEN.test(flag)).sort()).toEqual(flagsFor('headless', ['--proxy-server=proxy.test:3128']).sort())
})

test('starts the browser without flags that announce or simulate automation', async () => {
  const started = (await startedWith([])).join('\n')
  expect(started).not.toMatch(/automation|use-fake|disable-web-security|ignore-certificate|popup-blocking|ipc-flooding|user-agent/i)
})
