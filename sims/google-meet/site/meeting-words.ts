// What a test can ask of a meeting, and have it do.
import type { MeetSpace } from '../sfu/words.ts'
import type { MediaPath, Scenario } from './scenario.ts'
import type { DeviceState, Press } from './wire.ts'
import type { ScreenName } from './words.ts'

export type Knock = { readonly deviceId: string; readonly name: string; readonly atMs: number }

export type Asked = {
  readonly method: string
  readonly host: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: string
  readonly atMs: number
}

/** Where no device is named, all are meant that can be. */
export type Meeting = {
  readonly code: string
  readonly url: string
  /** The media half: people who talk, and what browsers send. */
  readonly space: MeetSpace
  /** Everything that was asked of the server in this meeting. */
  readonly asked: readonly Asked[]
  /** Every control that was pressed, those that nobody should press among them. */
  readonly pressed: readonly Press[]
  /** Who waits. */
  knocks(): readonly Knock[]
  inside(): readonly Knock[]
  /** What a page that is in says of its microphone, camera and captions; the latest one, if none is named. */
  state(deviceId?: string): DeviceState | null
  /** The next who ask get this, in place of what the scenario says. */
  answerKnocks(answer: Scenario['knock']): void
  admit(deviceId?: string): void
  deny(deviceId?: string): void
  /** Who waited for the host now asks to be let in. */
  hostArrives(): void
  remove(deviceId?: string): void
  endForAll(): void
  everyoneLeft(): void
  /** Any screen at any moment, or the way to the marketing page, to whoever waits or is in. */
  show(screen: ScreenName | 'marketing'): void
  askWhetherStillThere(): void
  /** Whoever is in hears by the other path from now on. */
  changeMedia(path: MediaPath): void
  dropNetwork(): void
  restoreNetwork(): void
}
