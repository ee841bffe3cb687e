// The messages between simulated servers and pages. The numbers of roster, speakers and levels are those of the field notes. The others
// differ between builds of the real client.
import type { StreamChange } from '../call/call.ts'
import type { RosterChange } from '../call/roster.ts'
import type { JoinErrors, Media, RoomMove, Scenario } from './scenario.ts'
import type { WebScenario } from './web-scenario.ts'

export const INFO_PATH = '/api/v1/wc/info'
export const SOCKET_PATH = '/wc/media/'

/** The reply to `wc/info`. */
export type InfoReply = {
  readonly status: boolean
  readonly errorCode: number
  readonly errorMessage: string
  readonly result: InfoResult | null
  /** How the simulated SDK reports a failure. */
  readonly joinErrors: JoinErrors
}

export type InfoResult = {
  readonly meetingNumber: string
  readonly topic: string
  readonly cid: string
  readonly svcUrl: string
  readonly options: PageOptions
}

/** The part of the scenario that pages read. */
export type PageOptions = { readonly media: Media; readonly isAttendee: boolean } & Pick<
  Scenario,
  'lobby' | 'joinAudio' | 'recording' | 'requests' | 'savesCaptions' | 'captionDialogs' | 'signalling'
> &
  Pick<WebScenario, 'wall' | 'stall' | 'disclaimer' | 'recordingConsent'>

export const EVT = {
  joinAnswer: 4098,
  roster: 7937,
  end: 7939,
  hold: 7942,
  chat: 7944,
  captions: 7966,
  recordingAnswer: 7974,
  recordingStatus: 7976,
  promotion: 7978,
  room: 7980,
  streams: 7990,
  answer: 7991,
  levels: 8005,
  speakers: 12033,
} as const

/** `mayRecord`: allowed by the meeting or by the host. */
export type HoldBody = { readonly standing: 'not_started' | 'waiting' | 'inside'; readonly mayRecord: boolean }
type EndWord = 'ended' | 'ended_free' | 'ended_new_meeting' | 'removed' | 'removed_waiting' | 'error'
export type EndBody = { readonly word: EndWord; readonly code: number }
export type ChatBody = {
  readonly msgId: string
  readonly senderId: number
  readonly senderName: string
  readonly receiverId: number
  readonly text: string
  readonly t: number
}
export type CaptionBody = { readonly msgId: string; readonly text: string; readonly done: boolean; readonly userId: number }
export type RoomBody = { readonly name: string | null; readonly way: RoomMove }
type AnswerBody = { readonly id: number; readonly sdp: string | null }

export type FromServer =
  | { readonly evt: typeof EVT.joinAnswer; readonly body: { readonly res: number; readonly userID: number; readonly zoomID: string } }
  | { readonly evt: typeof EVT.roster; readonly body: RosterChange }
  | { readonly evt: typeof EVT.end; readonly body: EndBody }
  | { readonly evt: typeof EVT.hold; readonly body: HoldBody }
  | { readonly evt: typeof EVT.chat; readonly body: ChatBody }
  | { readonly evt: typeof EVT.captions; readonly body: CaptionBody }
  | { readonly evt: typeof EVT.recordingAnswer; readonly body: { readonly agreed: boolean } }
  | { readonly evt: typeof EVT.recordingStatus; readonly body: { readonly status: CaptureStatus; readonly userId: number } }
  /** An invitation to a breakout room; null: to the main session. */
  | { readonly evt: typeof EVT.room; readonly body: RoomBody }
  /** The host wants the attendee of a webinar as a panelist. */
  | { readonly evt: typeof EVT.promotion; readonly body: Readonly<Record<never, never>> }
  | { readonly evt: typeof EVT.streams; readonly body: StreamChange }
  | { readonly evt: typeof EVT.answer; readonly body: AnswerBody }
  | { readonly evt: typeof EVT.levels; readonly body: { readonly level: number } }
  | { readonly evt: typeof EVT.speakers; readonly body: Readonly<Record<string, number>> }

/** 0 stopped, 1 started, 2 paused. */
export type CaptureStatus = 0 | 1 | 2

export type DeviceState = { readonly muted: boolean; readonly audio: boolean; readonly video: boolean }

export type FromPage =
  /** An offer without streams is for the page's own devices. */
  | { readonly cmd: 'offer'; readonly id: number; readonly sdp: string; readonly streams: readonly string[] }
  | { readonly cmd: 'state'; readonly state: DeviceState }
  | { readonly cmd: 'chat'; readonly text: string; readonly receiverId: number }
  | { readonly cmd: 'request_permission' }
  | { readonly cmd: 'capture'; readonly status: CaptureStatus }
  | { readonly cmd: 'rename'; readonly name: string }
  | { readonly cmd: 'press'; readonly press: Press }
  | { readonly cmd: 'accept_promotion' }
  | { readonly cmd: 'follow_room' }
  | { readonly cmd: 'leave' }

/** A pressed control, by its name in all languages. */
export type Press = { readonly control: string; readonly trusted: boolean }
