// How a simulated meeting behaves. A test names only the differences.
import { USUAL_WEB, type WebScenario } from './web-scenario.ts'

/** A number is an error code of the SDK, such as 4006; `silent` never answers. */
export type Knock = 'admitted' | 'waiting_room' | 'not_started' | 'silent' | number

export type Scenario = {
  /** Empty: the meeting needs none. */
  readonly passcode: string
  readonly topic: string
  /** Whose meeting it is. In an `external` one an SDK app must say which user it acts for. */
  readonly account: 'own' | 'external'
  readonly knock: Knock
  /** What the waiting room says. */
  readonly lobby: 'admit_ready' | 'put_on_hold' | 'host_knows' | 'about_to_join' | 'host_lost'
  /** `wasm`: no WebRTC; sound is played by audio nodes, pictures are painted on canvases. */
  readonly media: 'webrtc' | 'wasm'
  /** `button`: no sound before "Join Audio by Computer" is pressed. */
  readonly joinAudio: 'automatic' | 'button'
  /** Of the computer of a participant: to be asked for, allowed to all, or turned off by the account. */
  readonly recording: 'ask' | 'allowed' | 'off'
  /** What the host has set for requests to record. */
  readonly requests: 'ask_host' | 'deny_all'
  /** Without "save captions" the listener of captions gets an error text. */
  readonly savesCaptions: boolean
  /** How the worker hands a message over: as text, or as an object. */
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
