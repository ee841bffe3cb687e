// The browser that bots share: one warm Chromium per host, a context for each meeting.

import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { Failure } from '../../kit/failure.ts'
import type { Display } from './display.ts'

export type { Browser }

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser']
const CHROME = ['/usr/bin/google-chrome', '/usr/bin/google-chrome-stable']
/** With a window it is the browser that people have. */
const PLACES = { headless: [...CHROMIUM, ...CHROME], headed: [...CHROME, ...CHROMIUM] }

const UNWANTED = [
  // A process each, for an address bar that nobody looks at and for a page that may never come.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'SpareRendererForSitePerProcess',
  // Another one, for sound that nobody hears.
  'AudioServiceOutOfProcess',
  // What playwright switches off: Chromium heeds only the last list.
  'AimEnabled',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
]

const MODE_FLAGS = {
  headless: ['--headless=new'],
  headed: ['--ozone-platform=x11', '--window-position=0,0', '--window-size=1280,807'],
}

const FLAGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--mute-audio',
  '--autoplay-policy=no-user-gesture-required',
  // Told, so that nobody finds out how fast the machine is for a language model that nobody asked for: a process of 56 MB after 3 minutes.
  '--optimization-guide-performance-class=1',
  // The built-in room on a machine with no network: peers are on loopback.
  '--allow-loopback-in-peer-connection',
  `--disable-features=${UNWANTED.join(',')}`,
  // One process less. A crash of it ended every meeting anyway.
  '--enable-features=NetworkServiceInProcess2',
]

/** What Chromium says on its way out where the kernel gives it no sandbox. */
const NO_SANDBOX = /No usable sandbox|setuid sandbox|sandbox_linux|credentials\.cc/i

export type BrowserOptions = {
  /** Told why pages run without Chromium's sandbox, where they do. */
  readonly onNoSandbox?: (why: string) => void
  /** Where its windows are; without one it is headless. */
  readonly display?: Display | null
}

/** `flags` are the operator's own: a proxy, a resolver. */
export async function launchBrowser(
  executable: string | undefined,
  flags: readonly string[] = [],
  { onNoSandbox = () => undefined, display }: BrowserOptions = {},
): Promise<Browser> {
  const mode = display ? 'headed' : 'headless'
  const executablePath = executable ?? PLACES[mode].find(existsSync)
  if (!executablePath) throw new Failure('no_browser', 'No Chromium was found. Install it, or set CHROMIUM_PATH.')
  // `headless: false` with the flag: playwright's own headless mode is another browser. Signals are the host's to handle.
  const options = { executablePath, headless: false, handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false }
  const args = [...MODE_FLAGS[mode], ...FLAGS, ...flags]
  const launch = (chromiumSandbox: boolean) =>
    chromium.launch({ ...options, chromiumSandbox, args, ...(display && { env: display.environment }) })
  if (process.getuid?.() === 0) {
    onNoSandbox('Chromium refuses it to root')
    return launch(false)
  }
  return launch(true).catch((error: unknown) => {
    if (!(error instanceof Error && NO_SANDBOX.test(error.message))) throw error
    onNoSandbox('the kernel refuses it to this user')
    return launch(false)
  })
}
