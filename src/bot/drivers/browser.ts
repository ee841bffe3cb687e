// The browser that bots share: one warm Chromium per worker, with a context for each meeting.

import { existsSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { Failure } from '../../kit/failure.ts'
import { flagsFor, PLAYWRIGHT_FLAGS } from './browser-flags.ts'
import type { Display } from './display.ts'
import { loadPlaywright } from './playwright.ts'

export type { Browser }

const { chromium } = loadPlaywright()

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser']
const CHROME = ['/usr/bin/google-chrome', '/usr/bin/google-chrome-stable']
/** Headed bots prefer Chrome, the browser that people use. */
const PLACES = { headless: [...CHROMIUM, ...CHROME], headed: [...CHROME, ...CHROMIUM] }

/** Chromium's error output where the kernel offers no sandbox. */
const NO_SANDBOX = /No usable sandbox|setuid sandbox|sandbox_linux|credentials\.cc|without --no-sandbox/i

export type BrowserOptions = {
  /** Called with the reason when pages run without Chromium's sandbox. */
  readonly onNoSandbox?: (why: string) => void
  /** The display for its windows; without one it is headless. */
  readonly display?: Display | null
}

export function findBrowser(executable: string | undefined, mode: 'headless' | 'headed'): string {
  const found = executable ?? PLACES[mode].find(existsSync)
  if (!found) throw new Failure('no_browser', 'No Chromium was found. Install it, or set CHROMIUM_PATH.')
  return found
}

/** The kernel or Chromium refuses the sandbox. */
export function isWithoutSandbox(error: unknown): boolean {
  return error instanceof Error && NO_SANDBOX.test(error.message)
}

/** `flags` are the operator's own, such as a proxy or a resolver. */
export async function launchBrowser(
  executable: string | undefined,
  flags: readonly string[] = [],
  { onNoSandbox = () => undefined, display }: BrowserOptions = {},
): Promise<Browser> {
  const mode = display ? 'headed' : 'headless'
  const wanted = flagsFor(mode, flags)
  const options = {
    executablePath: findBrowser(executable, mode),
    // Playwright removes an ignored flag from `args`, too.
    ignoreDefaultArgs: PLAYWRIGHT_FLAGS.filter((flag) => !wanted.includes(flag)),
    args: wanted.filter((flag) => !PLAYWRIGHT_FLAGS.includes(flag)),
    // The mode has a flag: playwright's own headless mode is another browser.
    headless: false,
    // The worker handles signals.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    ...(display && { env: display.environment }),
  }
  const launch = (chromiumSandbox: boolean) => chromium.launch({ ...options, chromiumSandbox })
  if (process.getuid?.() === 0) {
    onNoSandbox('Chromium refuses it to root')
    return launch(false)
  }
  return launch(true).catch((error: unknown) => {
    if (!isWithoutSandbox(error)) throw error
    onNoSandbox('the kernel refuses it to this user')
    return launch(false)
  })
}
