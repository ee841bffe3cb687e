// The observations and actions that a meeting offers to tests.
import type { MeetSpace } from '../sfu/types.ts'
import type { MediaPath, Scenario } from './scenario.ts'
import type { ScreenName } from './texts.ts'
import type { DeviceState, Press } from './wire.ts'

/** `room`: the breakout room in which the device is; empty: the meeting. */
export type Knock = { readonly deviceId: string; readonly name: string; readonly atMs: number; readonly room: string }

export type Asked = {
  readonly method: string
  readonly host: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: string
  readonly atMs: number
}

/** Without a device, an action applies to all devices that allow it. */
export type Meeting = {
  readonly code: string
  readonly url: string
  /** The media part: people who talk, and the media of browsers. */
  readonly space: MeetSpace
  /** Every request of this meeting. */
  readonly asked: readonly Asked[]
  /** Every pressed control, including those that a bot must not press. */
  readonly pressed: readonly Press[]
  /** How many browsers have opened the link. Each has cookies of its own. */
  browsers(): number
  /** Devices in the lobby. */
  knocks(): readonly Knock[]
  inside(): readonly Knock[]
  /** The state that a page in the call reports of its microphone, camera and captions. Default: the latest page. */
  state(deviceId?: string): DeviceState | null
  /** The answer to the next knocks, instead of that of the scenario. */
  answerKnocks(answer: Scenario['knock']): void
  admit(deviceId?: string): void
  deny(deviceId?: string): void
  /** Pages that waited for the host now knock. */
  hostArrives(): void
  remove(deviceId?: string): void
  endForAll(): void
  everyoneLeft(): void
  /** Shows any screen, or the marketing page, to devices in the lobby or in the call. */
  show(screen: ScreenName | 'marketing'): void
  askWhetherStillThere(): void
  /** Switches the media path of the devices in the call. */
  changeMedia(path: MediaPath): void
  /** The media part of a breakout room, which opens at its first use. */
  room(name: string): MeetSpace
  /** The host opens a breakout room for devices in the call, or closes the rooms with null. */
  move(room: string | null, deviceId?: string): void
  dropNetwork(): void
  restoreNetwork(): void
}
