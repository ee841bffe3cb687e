// Ends a bot that cannot go on.
import type { BotId } from '../../domain/bot.ts'
import type { ErrorReason } from '../../domain/errors.ts'
import { addEvidence } from '../db/bots.ts'
import { processUnrecorded } from '../db/recordings.ts'
import { type TransitionDeps, together, transition } from './transition.ts'

export type Failure = {
  readonly bot: BotId
  readonly fence: number
  readonly at: Date
  /** What was being done. */
  readonly step: string
  /** What happened on the way in. `join_blocked`: nothing of ours failed. */
  readonly by?: 'join_failed' | 'join_blocked'
  readonly reason: ErrorReason
  readonly message: string
}

/** The bot ends as Error, or as a blocked join does, with its reason and the evidence, and pays for no more than it attended. What it recorded is processed. */
export async function failBot(deps: TransitionDeps, { step, by = 'join_failed', ...failure }: Failure): Promise<void> {
  const { bot, at, message } = failure
  await together(deps, async (inside) => {
    const outside = await transition(inside, { ...failure, by })
    // A bot that got further leaves first, as the table has it.
    if (!outside) await transition(inside, { ...failure, by: 'leaving' })
    if (!(outside ?? (await transition(inside, { ...failure, by: 'failed' })))) return
    await addEvidence(inside.db, bot, { at: at.toISOString(), step, message, pageText: null })
    await processUnrecorded(inside.db, bot)
  })
}

/** A scheduled bot that found no seat within the time it may be late. */
export async function exhaustBot(deps: TransitionDeps, bot: { readonly id: BotId; readonly fence: number }, at: Date): Promise<void> {
  await transition(deps, {
    ...{ bot: bot.id, fence: bot.fence, at, by: 'launch_exhausted', reason: 'ScheduledDispatchExhausted' },
    message: 'The scheduled bot could not be started within 20 minutes after its join time',
  })
}
