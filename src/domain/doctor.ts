// The results of `emissary doctor`, and the messages between the service that asks and the bot program that checks.
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

export type DoorVisit = Pick<BotOrders, 'spec' | 'driver' | 'tables' | 'signIn' | 'sdkFolder' | 'allowPrivateUrls'> & {
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

export type FromDoctor = { readonly checks: readonly Check[]; readonly report: DoorReport | null }

export const ok = (name: string, says: string): Check => ({ name, state: 'ok', says, cure: null })
export const note = (name: string, says: string, cure: string): Check => ({ name, state: 'note', says, cure })
export const problem = (name: string, says: string, cure: string): Check => ({ name, state: 'problem', says, cure })
