// Sends the bot's chat messages, its greeting first, and reports each when it is sent. Drivers drop the meeting's echo of them.
import type { BotOrders, FromWorker } from '../../domain/protocol.ts'
import { retry, type Schedule } from '../../kit/retry.ts'
import type { MeetingDriver } from '../drivers/driver.ts'
import type { Explain } from './problems.ts'

export type Chat = Pick<MeetingDriver, 'write'>

type ChatTools = { readonly driver: Chat; readonly now: () => number; readonly report: (report: FromWorker) => void }

export function createChat({ botId, fence, spec }: BotOrders, { driver, now, report }: ChatTools): Chat {
  return {
    async write(text) {
      await driver.write(text)
      // The bot's own id is the same in every session, unlike its id in the meeting.
      report({ kind: 'chat', botId, fence, message: { from: botId, name: spec.name, text, at: now() } })
    },
  }
}

/** A failed greeting is tried again at once. */
const GREETING: Schedule = { attempts: 3, firstMs: 0, longestMs: 0 }

export type GreetTools = {
  readonly chat: Chat
  /** The message for the chat on entering; null if there is none, or the bot has sent it before. */
  readonly greeting: string | null
  /** The bot has greeted, and does not greet again when it rejoins. */
  readonly greeted: () => void
  /** Reports a failure with evidence from the page. */
  readonly failed: (step: string, message: string, code?: string) => Promise<void>
  /** Turns an error into a message for callers, and logs the rest. */
  readonly explain: Explain
}

/** Tries three times. A failed greeting is reported and does not end the bot. */
export async function greet({ chat, greeting, greeted, failed, explain }: GreetTools, over: AbortSignal): Promise<void> {
  try {
    if (greeting !== null) await retry(GREETING, () => chat.write(greeting), { again: () => !over.aborted, random: Math.random })
  } catch (error) {
    if (over.aborted) return
    const { message, code } = explain(error, { code: 'chat_failed', message: 'The greeting could not be written into the chat' })
    return failed('greet', message, code)
  }
  greeted()
}
