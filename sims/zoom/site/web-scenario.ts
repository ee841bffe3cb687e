// The variants of the simulated web client, beyond those that it shares with the SDK.

export type Wall =
  | ('none' | 'bots' | 'captcha' | 'image_captcha' | 'recaptcha_failed' | 'sign_in' | 'invalid_link')
  /** The site's own page for registrants, to which a link without a registrant's token redirects, or a form in the client. */
  | ('registration_page' | 'registration_form')

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
  /** Block pages stand in the page itself, in a shadow root, or in a frame of another site. */
  readonly wallIn: 'page' | 'shadow_root' | 'other_site'
  /** The number of page loads that get that screen; null: all. */
  readonly walls: number | null
  /** The badge of a captcha that rates visitors without asking them. Guests have had it since July 2026. */
  readonly captchaBadge: boolean
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
  /** The page after the meeting: the home page of the site, or of the web client. */
  readonly home: 'site' | 'client'
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
  wallIn: 'page',
  walls: null,
  captchaBadge: true,
  disclaimer: false,
  recordingConsent: false,
  unmutesItself: false,
  stall: 'none',
  stalls: 1,
  joiningMs: 300,
  popup: false,
  home: 'site',
}
