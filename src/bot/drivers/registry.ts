// The installed drivers, by name. No other file lists them.
import type { DriverName } from '../../domain/platforms.ts'
import { openClientPage, type PagedClient } from './browser-meeting/client-page.ts'
import { createBrowserDriver } from './browser-meeting/driver.ts'
import type { MeetingClient } from './browser-meeting/meeting-client.ts'
import type { ReplayedClient } from './browser-meeting/replay.ts'
import { builtInRoom } from './built-in-room/client.ts'
import type { OpenPage } from './compare-browsers.ts'
import type { DriverTools, MeetingDriver } from './driver.ts'
import { googleMeet } from './google-meet/client.ts'
import { teams } from './teams/client.ts'
import { zoomSdk } from './zoom-sdk/client.ts'
import { createZoomSdkDriver } from './zoom-sdk/driver.ts'
import { ZoomRoster } from './zoom-sdk/roster.ts'
import { zoomWeb } from './zoom-web/client.ts'

type Driver = Pick<MeetingClient, 'profile' | 'home' | 'pageRules' | 'traffic'> &
  ReplayedClient & {
    readonly create: (tools: DriverTools) => Promise<MeetingDriver>
    readonly openPage: OpenPage
  }

const pageOf =
  (client: PagedClient): OpenPage =>
  async (tools) =>
    (await openClientPage(client, { ...tools, receive: () => undefined })).page

const browserMeeting = (client: MeetingClient): Driver => ({
  ...client,
  create: (tools) => createBrowserDriver(client, tools),
  openPage: pageOf(client),
})

const DRIVERS: Readonly<Record<DriverName, Driver>> = {
  room: browserMeeting(builtInRoom),
  google_meet: browserMeeting(googleMeet),
  teams: browserMeeting(teams),
  zoom: {
    ...zoomSdk,
    published: { createRoster: (...listeners) => new ZoomRoster(0, ...listeners) },
    create: createZoomSdkDriver,
    openPage: pageOf(zoomSdk),
  },
  zoom_web: browserMeeting(zoomWeb),
}

const FOLDERS: Readonly<Record<DriverName, string>> = {
  room: 'built-in-room',
  google_meet: 'google-meet',
  teams: 'teams',
  zoom: 'zoom-sdk',
  zoom_web: 'zoom-web',
}

export function driverOf(name: DriverName): Driver {
  return DRIVERS[name]
}

/** The folder of the driver's code. */
export function folderOf(name: DriverName): string {
  return FOLDERS[name]
}

export function isDriver(name: string): name is DriverName {
  return Object.hasOwn(DRIVERS, name)
}
