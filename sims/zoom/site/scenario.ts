// The behaviour of a simulated meeting. A test gives only the differences from the default.
import { USUAL_WEB, type WebScenario } from './web-scenario.ts'

/** A number is an error code of the SDK, such as 4006; `silent` never answers. */
export type Knock = 'admitted' | 'waiting_room' | 'not_started' | 'silent' | number

export type Scenario = {
  /** Empty if the meeting has no passcode. */
  readonly passcode: string
  readonly topic: string
  /** The account that owns the meeting. An SDK app joins an `external` one only on behalf of a user. */
  readonly account: 'own' | 'external'
  readonly knock: Knock
  /** The text of the waiting room. */
  readonly lobby: 'admit_ready' | 'put_on_hold' | 'host_knows' | 'about_to_join' | 'host_lost'
  /** `wasm`: no WebRTC; sound is played by audio nodes, pictures are painted on canvases. */
  readonly media: 'webrtc' | 'wasm'
  /** `button`: no sound before "Join Audio by Computer" is pressed. */
  readonly joinAudio: 'automatic' | 'button'
  /** Local recording: on request, allowed to all, or turned off by the account. */
  readonly recording: 'ask' | 'allowed' | 'off'
  /** The host's setting for requests to record. */
  readonly requests: 'ask_host' | 'deny_all'
  /** Without "save captions" the listener of captions gets an error text. */
  readonly savesCaptions: boolean
  /** The form in which the worker posts a message. */
  readonly signalling: 'text' | 'object'
  readonly ended: 'ended' | 'ended_free' | 'ended_new_meeting'
  readonly web: WebScenario
}

const USUAL: Omit<Scenario, 'web'> = {
  passcode: 'aB3xYz',
  topic: 'Weekly review',
  account: 'own',
  knock: 'admitted',
  lobby: 'admit_ready',
  media: 'webrtc',
  joinAudio: 'automatic',
  recording: 'ask',
  requests: 'ask_host',
  savesCaptions: true,
  signalling: 'text',
  ended: 'ended',
}

export type Differences = Partial<Omit<Scenario, 'web'>> & { readonly web?: Partial<WebScenario> }

export function scenarioOf({ web, ...differences }: Differences): Scenario {
  return { ...USUAL, ...differences, web: { ...USUAL_WEB, ...web } }
}
