// Platform to driver: the only file that names them.
import { isJoinable, type JoinablePlatform, type Platform } from '../../domain/platforms.ts'
import { builtInRoom } from './built-in-room/client.ts'
import type { DriverProfile, DriverTools, MeetingDriver } from './driver.ts'
import { googleMeet } from './google-meet/client.ts'
import { teams } from './teams/client.ts'
import { createWebClientDriver } from './web-client/driver.ts'
import type { PlatformTables } from './web-client/tables.ts'
import type { WebClient } from './web-client/web-client.ts'
import { zoom } from './zoom/client.ts'
import { createZoomDriver } from './zoom/driver.ts'

type Driver = {
  readonly profile: DriverProfile
  /** A page of the platform that is always there; null where there is no such place. */
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

const DRIVERS: Readonly<Record<JoinablePlatform, Driver>> = {
  room: webClient(builtInRoom),
  google_meet: webClient(googleMeet),
  teams: webClient(teams),
  zoom: { profile: zoom.profile, home: zoom.home, tables: zoom.tables, create: createZoomDriver },
}

export function driverOf(platform: Platform): Driver {
  if (!isJoinable(platform)) throw new Error(`drivers: there is none for ${platform}`)
  return DRIVERS[platform]
}

export function homeOf(platform: Platform): string | null {
  return isJoinable(platform) ? DRIVERS[platform].home : null
}
