// The bot's first line in the chat.
import type { Explain } from './explain.ts'
import type { Chat } from './own-chat.ts'

const GREETING_TRIES = 3

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
  for (let tries = 1; greeting !== null && !over.aborted; tries++) {
    const error = await chat.write(greeting).then(
      () => null,
      (reason: unknown) => reason,
    )
    if (error === null) break
    if (over.aborted) return
    if (tries < GREETING_TRIES) continue
    const { message, code } = explain(error, { code: 'chat_failed', message: 'The greeting could not be written into the chat' })
    return failed('greet', message, code)
  }
  greeted()
}
