// Fills the caches of a host: bundles of page code, a compact Playwright, and compiled modules. A host that starts without them takes more
// memory.
import { compactPlaywright } from '../src/bot/drivers/playwright.ts'
import { loadBundler } from '../src/bot/page-bundle.ts'
import { writePageBundles } from '../src/bot/prebuild-pages.ts'
import { forkHost, launchOf } from '../src/service/fleet/host-process.ts'

writePageBundles()
compactPlaywright(loadBundler().buildSync)
forkHost(launchOf('host', { browserMode: 'headless', chromium: undefined, chromiumFlags: [] })).disconnect()
