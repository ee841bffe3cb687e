// Fills the caches of a host: bundles of page code, and compiled modules. A host that starts without them keeps the compiler in memory.
import { writePageBundles } from '../src/bot/prebuild-pages.ts'
import { startHostProcess } from '../src/service/fleet/host-process.ts'

writePageBundles()
startHostProcess({ browserMode: 'headless', chromium: undefined, chromiumFlags: [] }).disconnect()
