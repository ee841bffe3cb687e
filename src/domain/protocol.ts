// The wire between the two programs while bots run: orders and wishes to a host, reports from it.
import type { BotId, BotSpec } from './bot.ts'
import type { ErrorReason } from './errors.ts'
import type { Trigger } from './lifecycle.ts'
import type { ChatMessage, MeetingCommand, Roster } from './meeting.ts'

/** Everything a bot needs to attend. A host has nothing else: no database, no environment. */
export type BotOrders = {
  readonly botId: BotId
  /** Of the claim: a report of an older one changes nothing. */
  readonly fence: number
  readonly spec: BotSpec
}

export type ToHost =
  | { readonly kind: 'attend'; readonly orders: BotOrders }
  | { readonly kind: 'leave'; readonly botId: BotId; readonly message: string }
  | { readonly kind: 'perform'; readonly botId: BotId; readonly requestId: string; readonly command: MeetingCommand }

export type FromHost =
  | {
      readonly kind: 'moved'
      readonly botId: BotId
      readonly fence: number
      readonly by: Trigger
      readonly at: number
      readonly message?: string
      readonly reason?: ErrorReason
    }
  /** Everybody else in the meeting, whenever that changes and once at the end. */
  | { readonly kind: 'people'; readonly botId: BotId; readonly roster: Roster }
  | { readonly kind: 'chat'; readonly botId: BotId; readonly message: ChatMessage }
  /** What failed and what the page said, kept as evidence. */
  | {
      readonly kind: 'failed'
      readonly botId: BotId
      readonly step: string
      readonly message: string
      readonly pageText: string | null
      readonly at: number
    }
  /** The seat is free again. Nothing more comes of this bot. */
  | { readonly kind: 'finished'; readonly botId: BotId; readonly fence: number }
  | { readonly kind: 'performed'; readonly requestId: string; readonly problem: string | null }
