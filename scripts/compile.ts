// Fills the caches of a worker: bundles of page code, a compact Playwright, and compiled modules. A worker that starts without them takes more
// memory.
import { compactPlaywright } from '../src/bot/drivers/playwright.ts'
import { loadBundler } from '../src/bot/worker/page-bundle.ts'
import { writePageBundles } from '../src/bot/worker/prebuild-pages.ts'
import { forkWorker, launchOf } from '../src/service/fleet/workers/worker-process.ts'

writePageBundles()
compactPlaywright(loadBundler().buildSync)
forkWorker(launchOf('worker', { browserMode: 'headless', chromium: undefined, chromiumFlags: [] })).disconnect()
