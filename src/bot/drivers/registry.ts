// Platform to driver: the only file that names them.
import { isJoinable, type JoinablePlatform, type Platform } from '../../domain/platforms.ts'
import { createRoomDriver, ROOM_PROFILE } from './built-in-room/driver.ts'
import type { DriverProfile, DriverTools, MeetingDriver } from './driver.ts'
import { googleMeet } from './google-meet/client.ts'
import { createWebClientDriver } from './web-client/driver.ts'
import type { PlatformTables } from './web-client/tables.ts'
import type { WebClient } from './web-client/web-client.ts'

type Driver = {
  readonly profile: DriverProfile
  /** Null where the platform has none that could be replaced. */
  readonly tables: PlatformTables | null
  readonly create: (tools: DriverTools) => Promise<MeetingDriver>
}

const webClient = (client: WebClient): Driver => ({
  profile: client.profile,
  tables: client.tables,
  create: (tools) => createWebClientDriver(client, tools),
})

const DRIVERS: Readonly<Record<JoinablePlatform, Driver>> = {
  room: { profile: ROOM_PROFILE, tables: null, create: createRoomDriver },
  google_meet: webClient(googleMeet),
}

export function driverOf(platform: Platform): Driver {
  if (!isJoinable(platform)) throw new Error(`drivers: there is none for ${platform}`)
  return DRIVERS[platform]
}
