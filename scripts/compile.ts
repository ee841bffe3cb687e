// Starts a host and lets it go, so that its code is compiled before the first one has to keep in memory what compiles it.
import { startHostProcess } from '../src/service/fleet/host-process.ts'

startHostProcess({ chromium: undefined, chromiumFlags: [] }).disconnect()
