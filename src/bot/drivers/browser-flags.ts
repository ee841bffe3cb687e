// The command line of a bot's browser: every flag has its reason. Playwright's own flags are for tests and are left out.

/** Playwright's flags. The browser test fails when a new version of Playwright adds one. */
export const PLAYWRIGHT_FLAGS: readonly string[] = [
  '--disable-field-trial-config',
  '--disable-background-networking',
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-back-forward-cache',
  '--disable-breakpad',
  '--disable-component-extensions-with-background-pages',
  '--disable-component-update',
  '--no-default-browser-check',
  '--disable-default-apps',
  '--disable-dev-shm-usage',
  '--disable-edgeupdater',
  '--disable-extensions',
  '--disable-features=AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,LensOverlay,MediaRouter,PaintHolding,ThirdPartyStoragePartitioning,AvoidCorsURLLoaderRestartOnRedirect,TcpPortRandomizationWin,OptimizationHints,NetworkTimeServiceQuerying,AimEnabled,PreconnectToSearch,msForceBrowserSignIn,msEdgeUpdateLaunchServicesPreferredVersion',
  '--enable-features=CDPScreenshotNewSurface,SkipListAccountsWithoutGaiaCookies',
  '--allow-pre-commit-input',
  '--disable-hang-monitor',
  '--disable-ipc-flooding-protection',
  '--disable-popup-blocking',
  '--disable-prompt-on-repost',
  '--disable-renderer-backgrounding',
  '--disable-updater-scheduler',
  '--force-color-profile=srgb',
  '--metrics-recording-only',
  '--no-first-run',
  '--password-store=basic',
  '--use-mock-keychain',
  '--no-service-autorun',
  '--disable-search-engine-choice-screen',
  '--unsafely-disable-devtools-self-xss-warnings',
  '--enable-unsafe-swiftshader',
  '--edge-skip-compat-layer-relaunch',
  '--disable-stack-profiler',
  '--disable-infobars',
  '--disable-sync',
  '--do-not-de-elevate',
]

type Reasons = Readonly<Record<string, string>>

/** Chromium uses only the last `--disable-features`. */
const UNWANTED_FEATURES: Reasons = {
  WebUIOmniboxPopup: 'starts a process for the popup of an address bar that no bot uses',
  WebUIOmniboxAimPopup: 'the same',
  SpareRendererForSitePerProcess: 'starts a process for a page that may never open',
  AudioServiceOutOfProcess: 'starts a process for audio output, which is muted',
  DestroyProfileOnBrowserClose: 'would end the browser when the page of its last bot closes',
  HttpsFirstBalancedModeAutoEnable: 'a built-in room on plain HTTP would show a warning first',
  HttpsUpgrades: 'a built-in room on plain HTTP would first be asked for by HTTPS',
  MediaRouter: 'searches the local network for screens',
  AimEnabled: 'asks www.google.com at each start',
  NetworkTimeServiceQuerying: 'asks clients2.google.com at each start',
  OptimizationHints: 'downloads hints at each start',
  PreconnectToSearch: 'connects to www.google.com at each start',
}

const WANTED_FEATURES: Reasons = {
  NetworkServiceInProcess2: 'saves the process of the network service, whose crash would end every meeting anyway',
  SkipListAccountsWithoutGaiaCookies: 'otherwise accounts.google.com is asked for accounts at each start',
}

/** Flags of every browser of a bot, with their reasons. */
const COMMON: Reasons = {
  '--disable-gpu': 'servers have none',
  '--disable-quic': 'networks of servers often drop it, and the fallback takes seconds',
  '--mute-audio': 'a server has no speakers; the recording takes sound before it is played',
  '--autoplay-policy=no-user-gesture-required': 'no person clicks before the sound of a meeting begins',
  '--accept-lang=en-US,en': 'the sentences that a driver knows; navigator.languages and Accept-Language follow it, in workers too',
  '--optimization-guide-performance-class=1':
    'skips a benchmark of the machine for an on-device language model: a process of 56 MB after 3 minutes',
  '--force-fieldtrials=WebRTC-RtcEventLogKillSwitch/Enabled/':
    'each connection would keep its last 10,000 packets for a log that is never written: 13 MB after two minutes with two cameras',
  '--allow-loopback-in-peer-connection': 'for the built-in room on a machine without a network: peers are on loopback',

  '--disable-field-trial-config': 'experiments of Chromium’s developers, which are off in the browsers that people use',
  '--disable-background-timer-throttling': 'windows of bots cover each other on their display, and a covered page must go on',
  '--disable-backgrounding-occluded-windows': 'the same',
  '--disable-renderer-backgrounding': 'the same',
  '--disable-hang-monitor': 'asks a person whether a busy page should be closed',
  '--disable-back-forward-cache': 'would keep a page that was left in memory',
  '--disable-dev-shm-usage': 'containers have 64 MB of shared memory',
  '--disable-breakpad': 'saves the process that reports crashes',
  '--disable-component-extensions-with-background-pages': 'saves the processes of built-in extensions',
  '--disable-extensions': 'an extension of the machine could change the page',

  '--no-first-run': 'every start is the first of a new profile',
  '--no-default-browser-check': 'the same',
  '--disable-default-apps': 'the same',
  '--disable-search-engine-choice-screen': 'covers the first page in some countries',
  '--password-store=basic': 'the keyring of a desktop asks a person to unlock it',
  '--disable-background-networking': 'a bot causes no traffic besides its meeting',
  '--disable-component-update': 'the same',
  '--disable-sync': 'the same',

  [`--disable-features=${Object.keys(UNWANTED_FEATURES).join(',')}`]: 'see the table of features',
  [`--enable-features=${Object.keys(WANTED_FEATURES).join(',')}`]: 'see the table of features',
}

const HEADLESS: Reasons = {
  '--headless=new': 'no display; the same browser otherwise',
  '--disable-software-rasterizer': 'without WebGL, whose pictures are not seen here, a browser takes 12 MB less',
}

const HEADED: Reasons = {
  '--ozone-platform=x11': 'the display is an X server',
  '--window-position=0,0': 'the pointer of the display finds controls by the position of the window',
  '--window-size=1280,807': 'the size of every picture, and the frame of the window',
  '--enable-unsafe-swiftshader': 'pages of platforms look for WebGL, which a machine without GPU draws in software',
}

export function flagsFor(mode: 'headless' | 'headed', own: readonly string[]): string[] {
  return [...Object.keys(mode === 'headed' ? HEADED : HEADLESS), ...Object.keys(COMMON), ...own]
}
