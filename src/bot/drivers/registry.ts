// Platform to driver: the only file that names them.
import type { Platform } from '../../domain/platforms.ts'
import { createRoomDriver } from './built-in-room/driver.ts'
import type { DriverTools, MeetingDriver } from './driver.ts'
import { googleMeet } from './google-meet/client.ts'
import { createWebClientDriver } from './web-client/driver.ts'

const DRIVERS: Partial<Record<Platform, (tools: DriverTools) => Promise<MeetingDriver>>> = {
  room: createRoomDriver,
  google_meet: (tools) => createWebClientDriver(googleMeet, tools),
}

export async function createDriver(tools: DriverTools): Promise<MeetingDriver> {
  const create = DRIVERS[tools.spec.meeting.platform]
  if (!create) throw new Error(`drivers: there is none for ${tools.spec.meeting.platform}`)
  return create(tools)
}
