// Processes a recording again that was given up, when an operator has removed the cause.
import type { BotId } from '../../domain/bot.ts'
import { processGivenUp } from '../db/recordings.ts'
import { atomically, type TransitionDeps, transition } from '../fleet/transition.ts'

/** False: there is no such bot, its recording was not given up, or its data was deleted. A bot that did not become Done keeps its status. */
export async function retryRecording(deps: TransitionDeps, bot: BotId, at: Date): Promise<boolean> {
  return atomically(deps, async (inside) => {
    if (!(await processGivenUp(inside.db, bot))) return false
    await transition(inside, { bot, by: 'processing_retried', at, message: 'The recording is processed again' })
    return true
  })
}
