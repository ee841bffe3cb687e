// Bundles the pages' code, and starts a host and lets it go, so that its code is compiled before the first one has to keep in memory what
// compiles it.
import { writePageBundles } from '../src/bot/page-bundles.ts'
import { startHostProcess } from '../src/service/fleet/host-process.ts'

writePageBundles()
startHostProcess({ browserMode: 'headless', chromium: undefined, chromiumFlags: [] }).disconnect()
