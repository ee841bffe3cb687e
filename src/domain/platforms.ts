// The meeting platforms: what each is called outside, what it allows, and which commands its meetings have.

/** What a caller may ask of a bot that sits in a meeting. */
export type CommandName = 'send_message' | 'send_image' | 'speak' | 'take_screenshot' | 'pause_recording' | 'resume_recording'

/** How people are arranged in the recorded video. */
export type VideoLayout = 'grid_view' | 'speaker_view'

export type Range = { readonly min: number; readonly max: number }

type PlatformRow = {
  /** The identifier in answers and in the list filter. */
  readonly wireName: string
  /** How a sentence names it. */
  readonly label: string
  /** Seconds that `automatic_leave.waiting_room_timeout` may be. */
  readonly waitingRoomSeconds: Range
  /** Every command is there but these. */
  readonly lacks: readonly CommandName[]
  readonly layouts: readonly VideoLayout[]
  /** Whether its meetings write down by themselves what is said. */
  readonly captions: boolean
  /** Whether its meetings can be joined. `bot/drivers/registry.ts` has a driver for each of these, and for no other. */
  readonly joinable: boolean
}

const LAYOUTS = ['grid_view', 'speaker_view'] as const

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

export const PLATFORM_NAMES = Object.keys(PLATFORMS) as Platform[]

/** The platform behind a wire name such as `GMeet`. Capitalisation matters, as the specification says. */
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
