// A field kit: one join on a live site, redacted, as `emissary doctor --bundle` writes it and `--replay` reads it.
import type { JsonObject } from './bot.ts'
import type { DriverName } from './platforms.ts'

/** Raised with each change that an older reader would misunderstand. */
export const FIELD_KIT_VERSION = 1

/** The bot's name in every kit. */
export const OWN_NAME = 'Emissary'

export type FieldKitHeader = {
  readonly kind: 'field_kit'
  readonly version: typeof FIELD_KIT_VERSION
  /** The version of Emissary. */
  readonly emissary: string
  readonly driver: DriverName
  readonly at: number
  readonly machine: JsonObject
  readonly settings: JsonObject
}

/** One document of a screen. `key` is the path of its frame: `0` is the page, `0.2` the third frame in it. */
export type FieldDocument = { readonly key: string; readonly url: string; readonly html: string }

/** Times are milliseconds since 1970. */
export type FieldStep = { readonly at: number } & (
  | {
      /** A screen, and what the page rules saw in it. */
      readonly kind: 'screen'
      readonly stage: 'door' | 'call'
      readonly screen: string
      /** The index of the rule that held; null: none, or the page published its screen. */
      readonly rule: number | null
      readonly hasAsked: boolean
      readonly controls: readonly string[]
      readonly people: readonly string[]
      readonly documents: readonly FieldDocument[]
      /** JPEG in base64. */
      readonly picture: string | null
    }
  /** What a listener in the page reported to the driver: messages, frames, answers, session descriptions. */
  | { readonly kind: 'report'; readonly report: JsonObject }
  /** What the page sent on a data channel or a socket that the driver reads. */
  | { readonly kind: 'sent'; readonly on: string; readonly data?: string; readonly text?: string }
  | { readonly kind: 'description'; readonly side: 'local' | 'remote'; readonly type: string; readonly sdp: string }
  | { readonly kind: 'response'; readonly url: string; readonly status: number }
  | { readonly kind: 'console'; readonly text: string }
  | { readonly kind: 'status'; readonly status: string; readonly message: string | null }
  /** What the driver made of reports: participants, owners of tracks, chat, captions. */
  | { readonly kind: 'event'; readonly event: JsonObject }
  | { readonly kind: 'verdict'; readonly verdict: string; readonly message: string | null }
  /** A step that still contained something private after its redaction. */
  | { readonly kind: 'withheld'; readonly of: string }
)

export type FieldKit = { readonly header: FieldKitHeader; readonly steps: readonly FieldStep[] }

/** What `--replay` prints, and whether today's code reaches the recorded result. */
export type ReplayReport = { readonly lines: readonly string[]; readonly differences: number }
