// What `emissary doctor` finds out, and the wire between its two halves: the service asks, a program of the bots looks.
import type { BotOrders } from './protocol.ts'

/** `note`: bots work, but less well than they could. `cure`: what to do about it. */
export type Check = {
  readonly name: string
  readonly state: 'ok' | 'note' | 'problem'
  readonly says: string
  readonly cure: string | null
}

/** The door of a meeting as a bot sees it. */
export type Door = {
  readonly screen: string
  /** By what it was recognised. */
  readonly rule: string
  /** What the bot would do now. */
  readonly next: string
  /** False where that is to give up. */
  readonly leadsIn: boolean
}

export type DoorVisit = Pick<BotOrders, 'spec' | 'tables' | 'signIn' | 'sdkFolder' | 'allowPrivateUrls'> & {
  /** Ask to be let in, too. */
  readonly knocks: boolean
}

export type DoorReport = {
  readonly door: Door
  /** What came of the knock; null: the bot did not knock. */
  readonly knock: string | null
  readonly pageText: string | null
  /** A JPEG in base64. */
  readonly picture: string | null
}

export type FromDoctor = { readonly checks: readonly Check[]; readonly report: DoorReport | null }

export const ok = (name: string, says: string): Check => ({ name, state: 'ok', says, cure: null })
export const note = (name: string, says: string, cure: string): Check => ({ name, state: 'note', says, cure })
export const problem = (name: string, says: string, cure: string): Check => ({ name, state: 'problem', says, cure })
