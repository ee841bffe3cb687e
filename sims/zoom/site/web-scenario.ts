// The variants of the simulated web client, beyond those that it shares with the SDK.

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
  /** The screen instead of the preview. */
  readonly landing: Wall
  /** The screen instead of the meeting after Join. */
  readonly wall: Wall
  /** The number of page loads that get that screen; null: all. */
  readonly walls: number | null
  readonly disclaimer: boolean
  /** Asks in the call for consent to the host's recording. */
  readonly recordingConsent: boolean
  /** Devices are reset on joining: the microphone comes back unmuted. */
  readonly unmutesItself: boolean
  /** How the page stalls while joining. */
  readonly stall: 'none' | 'frozen' | 'white'
  /** The number of page loads that stall. */
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
