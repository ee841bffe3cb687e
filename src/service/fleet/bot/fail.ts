// Ends a bot that cannot continue.
import type { BotId } from '../../../domain/bot.ts'
import type { ErrorReason } from '../../../domain/errors.ts'
import { addEvidence } from '../../db/fleet/bots.ts'
import { processUnrecorded } from '../../db/media/recordings.ts'
import { atomically, type TransitionDeps, transition } from './transition.ts'

export type Failure = {
  readonly bot: BotId
  readonly fence: number
  readonly at: Date
  /** The step that failed. */
  readonly step: string
  /** The trigger, if the bot was joining. `join_blocked`: the meeting refused the bot. */
  readonly by?: 'join_failed' | 'join_blocked'
  readonly reason: ErrorReason
  readonly message: string
}

/** Ends the bot as Error, or as a blocked join does, with its reason and evidence. Charges the attended time only, and processes the recording. */
export async function failBot(deps: TransitionDeps, { step, by = 'join_failed', ...failure }: Failure): Promise<void> {
  const { bot, at, message } = failure
  await atomically(deps, async (inside) => {
    const outside = await transition(inside, { ...failure, by })
    // A bot in a meeting leaves first, as the lifecycle table requires.
    if (!outside) await transition(inside, { ...failure, by: 'leaving' })
    if (!(outside ?? (await transition(inside, { ...failure, by: 'failed' })))) return
    await addEvidence(inside.db, bot, { at: at.toISOString(), step, message, pageText: null })
    await processUnrecorded(inside.db, bot)
  })
}

/** Ends a scheduled bot that got no seat within its retry window. */
export async function exhaustBot(deps: TransitionDeps, bot: { readonly id: BotId; readonly fence: number }, at: Date): Promise<void> {
  await transition(deps, {
    bot: bot.id,
    fence: bot.fence,
    at,
    by: 'launch_exhausted',
    reason: 'ScheduledDispatchExhausted',
    message: 'The scheduled bot could not be started within 20 minutes after its join time',
  })
}
