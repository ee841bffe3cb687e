// How the web client of a simulated meeting behaves, beyond what it shares with the SDK.

export type Wall = 'none' | 'bots' | 'captcha' | 'sign_in' | 'invalid_link' | 'recaptcha_failed'

export type WebScenario = {
  readonly launcher: 'shown' | 'skipped'
  /** The client in a frame of the PWA's page, or in the page itself. */
  readonly frame: 'pwa' | 'page'
  readonly language: 'browser' | 'en' | 'de' | 'nl' | 'zh'
  readonly cookies: boolean
  readonly terms: boolean
  /** How many permission cards come one after the other. */
  readonly permissionCards: 0 | 1 | 2
  readonly client: 'react' | 'classic'
  /** What stands in place of the preview. */
  readonly landing: Wall
  /** What comes in place of the meeting after Join. */
  readonly wall: Wall
  /** So many page loads meet the wall; null, if all of them do. */
  readonly walls: number | null
  readonly disclaimer: boolean
  /** Asks once more, in the call, for the recording by the host. */
  readonly recordingConsent: boolean
  /** Devices are reset on joining: the microphone comes back unmuted. */
  readonly unmutesItself: boolean
  /** So many page loads freeze, or stay white, while joining. */
  readonly stall: 'none' | 'frozen' | 'white'
  readonly stalls: number
  /** For how long "Joining Meeting..." shows an empty player. */
  readonly joiningMs: number
  readonly popup: boolean
}

export const USUAL_WEB: WebScenario = {
  launcher: 'skipped',
  frame: 'page',
  language: 'browser',
  cookies: false,
  terms: false,
  permissionCards: 0,
  client: 'react',
  landing: 'none',
  wall: 'none',
  walls: null,
  disclaimer: false,
  recordingConsent: false,
  unmutesItself: false,
  stall: 'none',
  stalls: 1,
  joiningMs: 300,
  popup: false,
}
