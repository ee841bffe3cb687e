// After the meeting: what follows once a bot has ended.
import type { BotId } from '../../domain/bot.ts'
import { type TransitionDeps, together, transition } from './transition.ts'

/** Closes the books of a bot that recorded nothing: there is no media to process, so it is done at once. */
export async function concludeUnrecorded(deps: TransitionDeps, bot: BotId, at: Date): Promise<void> {
  const message = 'Nothing was recorded'
  await together(deps, async (inside) => {
    const processing = await transition(inside, { bot, by: 'processing_started', at, message })
    if (processing) await transition(inside, { bot, by: 'processing_finished', at, message, extra: { status: 'error' } })
  })
}
