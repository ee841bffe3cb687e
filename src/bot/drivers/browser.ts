// The browser that bots share: one warm Chromium per host, with a context for each meeting.

import { existsSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { Failure } from '../../kit/failure.ts'
import type { Display } from './display.ts'
import { loadPlaywright } from './playwright.ts'

export type { Browser }

const { chromium } = loadPlaywright()

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser']
const CHROME = ['/usr/bin/google-chrome', '/usr/bin/google-chrome-stable']
/** Headed bots prefer Chrome, the browser that people use. */
const PLACES = { headless: [...CHROMIUM, ...CHROME], headed: [...CHROME, ...CHROMIUM] }

const UNWANTED = [
  // Each starts a process that no bot needs: for the popup of an invisible address bar, or for a page that may never open.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'SpareRendererForSitePerProcess',
  // Starts a process for audio output, which is muted.
  'AudioServiceOutOfProcess',
  // Playwright's own list, repeated because Chromium uses only the last --disable-features.
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
  // Without WebGL, whose pictures are not seen here, a browser takes 12 MB less. Browsers with a window keep it: pages of platforms look for it.
  headless: ['--headless=new', '--disable-software-rasterizer'],
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
  // Skips a benchmark of the machine for an on-device language model: a process of 56 MB after 3 minutes.
  '--optimization-guide-performance-class=1',
  // Each connection would keep its last 10,000 packets for a log that is never written: 13 MB after two minutes with two cameras.
  '--force-fieldtrials=WebRTC-RtcEventLogKillSwitch/Enabled/',
  // For the built-in room on a machine without a network: peers are on loopback.
  '--allow-loopback-in-peer-connection',
  `--disable-features=${UNWANTED.join(',')}`,
  // Saves the process of the network service, whose crash would end every meeting anyway.
  '--enable-features=NetworkServiceInProcess2',
]

/** Chromium's error output where the kernel offers no sandbox. */
const NO_SANDBOX = /No usable sandbox|setuid sandbox|sandbox_linux|credentials\.cc/i

export type BrowserOptions = {
  /** Called with the reason when pages run without Chromium's sandbox. */
  readonly onNoSandbox?: (why: string) => void
  /** The display for its windows; without one it is headless. */
  readonly display?: Display | null
}

/** `flags` are the operator's own, such as a proxy or a resolver. */
export async function launchBrowser(
  executable: string | undefined,
  flags: readonly string[] = [],
  { onNoSandbox = () => undefined, display }: BrowserOptions = {},
): Promise<Browser> {
  const mode = display ? 'headed' : 'headless'
  const executablePath = executable ?? PLACES[mode].find(existsSync)
  if (!executablePath) throw new Failure('no_browser', 'No Chromium was found. Install it, or set CHROMIUM_PATH.')
  // `headless: false` with the flag: playwright's own headless mode is another browser. The host handles signals.
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
