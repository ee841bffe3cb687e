// The meeting platforms: their public names, their limits, and the commands that their meetings support.
import type { MeetingCommand } from './meeting.ts'

/** Commands for a bot in a meeting. */
export type CommandName = MeetingCommand['kind']

/** The arrangements of participants in the recorded video. */
export const LAYOUTS = ['grid_view', 'speaker_view'] as const
export type VideoLayout = (typeof LAYOUTS)[number]

export type Range = { readonly min: number; readonly max: number }

type PlatformRow = {
  /** The identifier in responses and in the list filter. */
  readonly wireName: string
  /** The name in sentences. */
  readonly label: string
  /** The range of `automatic_leave.waiting_room_timeout` in seconds. */
  readonly waitingRoomSeconds: Range
  /** Commands that the platform does not support. */
  readonly lacks: readonly CommandName[]
  readonly layouts: readonly VideoLayout[]
  /** The platform has its own captions. */
  readonly captions: boolean
  /** Meetings can be joined. `bot/drivers/registry.ts` has a driver for exactly these platforms. */
  readonly joinable: boolean
}

export const PLATFORMS = {
  zoom: {
    wireName: 'Zoom',
    label: 'Zoom',
    waitingRoomSeconds: { min: 60, max: 1200 },
    lacks: ['take_screenshot'],
    layouts: LAYOUTS,
    captions: true,
    joinable: true,
  },
  google_meet: {
    wireName: 'GMeet',
    label: 'Google Meet',
    waitingRoomSeconds: { min: 60, max: 600 },
    lacks: [],
    layouts: LAYOUTS,
    captions: true,
    joinable: true,
  },
  teams: {
    wireName: 'Teams',
    label: 'Microsoft Teams',
    waitingRoomSeconds: { min: 60, max: 1800 },
    lacks: [],
    layouts: LAYOUTS,
    captions: true,
    joinable: true,
  },
  whatsapp: {
    wireName: 'WhatsApp',
    label: 'WhatsApp',
    waitingRoomSeconds: { min: 60, max: 1800 },
    lacks: ['send_message', 'send_image', 'take_screenshot'],
    layouts: ['grid_view'],
    captions: false,
    joinable: false,
  },
  room: {
    wireName: 'Room',
    label: 'the built-in room',
    waitingRoomSeconds: { min: 60, max: 1800 },
    lacks: [],
    layouts: LAYOUTS,
    captions: false,
    joinable: true,
  },
} as const satisfies Record<string, PlatformRow>

export type Platform = keyof typeof PLATFORMS

/** Platforms with a driver. */
export type JoinablePlatform = { [Name in Platform]: (typeof PLATFORMS)[Name]['joinable'] extends true ? Name : never }[Platform]

export function isJoinable(platform: Platform): platform is JoinablePlatform {
  return PLATFORMS[platform].joinable
}

/** The drivers of `bot/drivers/registry.ts`. Zoom has two: one by its SDK, and one by its web client. */
export type DriverName = JoinablePlatform | 'zoom_web'

/** How bots join Zoom. `web`: as a guest in a browser does, without an app. */
export type ZoomWay = 'sdk' | 'web'

export function driverNameOf(platform: Platform, zoomWay: ZoomWay): DriverName {
  if (!isJoinable(platform)) throw new Error(`There is no driver for ${platform}`)
  return platform === 'zoom' && zoomWay === 'web' ? 'zoom_web' : platform
}

export const PLATFORM_NAMES = Object.keys(PLATFORMS) as Platform[]

/** The platform of a wire name such as `GMeet`. Case matters, by the specification. */
export function platformOf(wireName: string): Platform | undefined {
  return PLATFORM_NAMES.find((name) => PLATFORMS[name].wireName === wireName)
}

export function hasCommand(platform: Platform, command: CommandName): boolean {
  const { lacks }: PlatformRow = PLATFORMS[platform]
  return !lacks.includes(command)
}

export function hasLayout(platform: Platform, layout: VideoLayout): boolean {
  const { layouts }: PlatformRow = PLATFORMS[platform]
  return layouts.includes(layout)
}
