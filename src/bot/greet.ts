// The bot's first line in the chat.
import type { Explain } from './explain.ts'
import type { Chat } from './own-chat.ts'

const GREETING_TRIES = 3

export type GreetTools = {
  readonly chat: Chat
  /** What to write into the chat on entering; null where nothing is, or it was written before. */
  readonly greeting: string | null
  /** The bot has greeted: it does not do so again when it comes back. */
  readonly greeted: () => void
  /** Keeps what went wrong, with what can still be seen of it. */
  readonly failed: (step: string, message: string, code?: string) => Promise<void>
  /** What of an error is for callers; the rest is logged. */
  readonly explain: Explain
}

/** Tried a few times; a greeting that the chat does not take is no reason to leave. */
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
