// The behaviour of a simulated meeting. A test gives only the differences from the default.
import { USUAL_WEB, type WebScenario } from './web-scenario.ts'

/** A number is an error code of the SDK, such as 4006; `silent` never answers. */
export type Knock = 'admitted' | 'waiting_room' | 'not_started' | 'silent' | number

/** `mixed`: the audio of all people in one track. `wasm`: no WebRTC; sound is played by audio nodes, pictures are painted on canvases. */
export type Media = 'mixed' | 'separate' | 'wasm'

export type RoomMove = 'invitation' | 'automatic' | 'dead_button' | 'hangs'

export type JoinErrors = 'callback' | 'general_callback' | 'console_only'

export type Scenario = {
  /** Empty if the meeting has no passcode. */
  readonly passcode: string
  readonly topic: string
  /** The account that owns the meeting. An SDK app joins an `external` one only on behalf of a user. */
  readonly account: 'own' | 'external'
  /** An app whose authorising user leaves is put out at once, or stays. */
  readonly authorizerLeft: 'ends' | 'stays'
  /** A visitor of a webinar is an attendee, who may not record, until the host makes it a panelist. */
  readonly kind: 'meeting' | 'webinar'
  readonly knock: Knock
  /** The text of the waiting room. */
  readonly lobby: 'host_knows' | 'please_wait' | 'admit_ready' | 'put_on_hold' | 'about_to_join' | 'host_lost'
  /** `usual`: one mixed track for guests of the web client, a track for each person for apps of the SDK. */
  readonly media: 'usual' | Media
  /** `button`: no sound before "Join Audio by Computer" is pressed. */
  readonly joinAudio: 'automatic' | 'button'
  /** Local recording: on request, allowed to all, or turned off by the account. */
  readonly recording: 'ask' | 'allowed' | 'off'
  /** The host's setting for requests to record. */
  readonly requests: 'ask_host' | 'deny_all'
  /** Without "save captions" the listener of captions gets an error text. */
  readonly savesCaptions: boolean
  /** How a page is moved to a breakout room and back: by its user's answer, by itself, or not at all. */
  readonly roomMove: RoomMove
  /** Turning captions on asks for their language, and reports that the meeting is transcribed. */
  readonly captionDialogs: boolean
  /** Where the SDK reports why a join failed. `general_callback`: the callback has code 1, and the console the code. */
  readonly joinErrors: JoinErrors
  /** The form in which the worker posts a message. */
  readonly signalling: 'text' | 'object'
  readonly ended: 'ended' | 'ended_free' | 'ended_new_meeting'
  readonly web: WebScenario
}

const USUAL: Omit<Scenario, 'web'> = {
  passcode: 'aB3xYz',
  topic: 'Weekly review',
  account: 'own',
  authorizerLeft: 'ends',
  kind: 'meeting',
  knock: 'admitted',
  lobby: 'host_knows',
  media: 'usual',
  joinAudio: 'automatic',
  recording: 'ask',
  requests: 'ask_host',
  savesCaptions: true,
  roomMove: 'invitation',
  captionDialogs: true,
  joinErrors: 'callback',
  signalling: 'text',
  ended: 'ended',
}

export type Differences = Partial<Omit<Scenario, 'web'>> & { readonly web?: Partial<WebScenario> }

export function scenarioOf({ web, ...differences }: Differences): Scenario {
  return { ...USUAL, ...differences, web: { ...USUAL_WEB, ...web } }
}

export function mediaFor({ media }: Pick<Scenario, 'media'>, isApp: boolean): Media {
  return media === 'usual' ? (isApp ? 'separate' : 'mixed') : media
}
