// The results of `emissary doctor`, and the messages between the service that asks and the bot program that checks.
import type { JsonObject } from './bot.ts'
import type { FieldKit, FieldStep, ReplayReport } from './field-kit.ts'
import type { DriverName } from './platforms.ts'
import type { BotOrders } from './protocol.ts'

/** `note`: bots work, but not as well as they could. `cure`: how to fix it. */
export type Check = {
  readonly name: string
  readonly state: 'ok' | 'note' | 'problem'
  readonly says: string
  readonly cure: string | null
}

/** The entry page of a meeting as a bot finds it. */
export type Door = {
  readonly screen: string
  /** The rule that recognised it. */
  readonly rule: string
  /** The next action of the bot. */
  readonly next: string
  /** False where that is to give up. */
  readonly leadsIn: boolean
}

export type DoorVisit = Pick<BotOrders, 'spec' | 'driver' | 'pageRules' | 'signIn' | 'identity' | 'sdkFolder' | 'allowPrivateUrls'> & {
  /** Ask to join, too. */
  readonly knocks: boolean
}

export type DoorReport = {
  readonly door: Door
  /** The outcome of the knock; null: the bot did not knock. */
  readonly knock: string | null
  readonly pageText: string | null
  /** JPEG in base64. */
  readonly picture: string | null
}

/** A whole join instead of a look at the door. */
export type FieldOrders = {
  /** How long the bot stays in the meeting. */
  readonly staySeconds: number
  /** Screenshots show people and texts. */
  readonly withPictures: boolean
}

export type DoctorOrders = {
  readonly visit: DoorVisit | null
  /** Null: only the door. */
  readonly field: FieldOrders | null
  /** Also compare the browser of a bot on this platform with an ordinary one. */
  readonly comparesFor: DriverName | null
  readonly replay: { readonly kit: FieldKit; readonly pageRules: JsonObject | null } | null
}

/** Asks the bot program to leave the meeting and to answer. */
export const LEAVE = 'leave'
/** A fact that a page sees otherwise in a bot's browser than in an ordinary one of this machine. `why`: null where no reason is known. */
export type Difference = { readonly fact: string; readonly bot: string; readonly ordinary: string; readonly why: string | null }

export type FromDoctor = {
  readonly checks: readonly Check[]
  readonly report: DoorReport | null
  /** The steps of a whole join. */
  readonly steps: readonly FieldStep[] | null
  readonly replayed: ReplayReport | null
  readonly differences: readonly Difference[] | null
}

export const ok = (name: string, says: string): Check => ({ name, state: 'ok', says, cure: null })
export const note = (name: string, says: string, cure: string): Check => ({ name, state: 'note', says, cure })
export const problem = (name: string, says: string, cure: string): Check => ({ name, state: 'problem', says, cure })
