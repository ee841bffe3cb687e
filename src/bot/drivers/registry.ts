// The installed drivers, by name. No other file lists them.
import type { DriverName } from '../../domain/platforms.ts'
import { builtInRoom } from './built-in-room/client.ts'
import type { DriverProfile, DriverTools, MeetingDriver } from './driver.ts'
import { googleMeet } from './google-meet/client.ts'
import { teams } from './teams/client.ts'
import { createWebClientDriver } from './web-client/driver.ts'
import type { PlatformTables } from './web-client/tables.ts'
import type { WebClient } from './web-client/web-client.ts'
import { zoom } from './zoom/client.ts'
import { createZoomDriver } from './zoom/driver.ts'
import { zoomWeb } from './zoom-web/client.ts'

type Driver = {
  readonly profile: DriverProfile
  /** A page of the platform that always exists; null where there is none. */
  readonly home: string | null
  readonly tables: PlatformTables
  readonly create: (tools: DriverTools) => Promise<MeetingDriver>
}

const webClient = (client: WebClient): Driver => ({
  profile: client.profile,
  home: client.home,
  tables: client.tables,
  create: (tools) => createWebClientDriver(client, tools),
})

const DRIVERS: Readonly<Record<DriverName, Driver>> = {
  room: webClient(builtInRoom),
  google_meet: webClient(googleMeet),
  teams: webClient(teams),
  zoom: { profile: zoom.profile, home: zoom.home, tables: zoom.tables, create: createZoomDriver },
  zoom_web: webClient(zoomWeb),
}

export function driverOf(name: DriverName): Driver {
  return DRIVERS[name]
}

export function isDriver(name: string): name is DriverName {
  return Object.hasOwn(DRIVERS, name)
}
