// A bot loses its session, and comes back: the absence is noted, announced and not billed; a bot that is lost too often is given up.
import { isLostTooOften, LOSS_WINDOW_SECONDS, LOSSES, type LossReason } from '../../domain/absences.ts'
import { insertLoss, lockHeld, writeLoss, writeReturn } from '../db/absences.ts'
import { type Claim, releaseClaim } from '../db/claims.ts'
import { processUnrecorded } from '../db/recordings.ts'
import { failBot } from './fail.ts'
import { note, type TransitionDeps, together, transition } from './transition.ts'

export type Loss = {
  readonly reason: LossReason
  /** When the session ended, as far as it is known. */
  readonly from: Date
}

/** Puts the bot at the head of the queue. A claim that is no longer the bot's newest changes nothing. */
export async function loseBot(deps: TransitionDeps, claim: Claim, { reason, from }: Loss): Promise<void> {
  const { botId: bot, fence } = claim
  const { message } = LOSSES[reason]
  await together(deps, async (inside) => {
    const held = await lockHeld(inside.db, claim)
    if (!held) return
    if (held.status === 'Scheduled') return releaseClaim(inside.db, claim, 0)
    // It was on its way out: it does not go back in.
    if (held.status === 'Leaving') return endLeaving(inside, claim, { message: held.message, from })

    const losses = await insertLoss(inside.db, bot, { from, reason })
    if (isLostTooOften(losses)) {
      const minutes = LOSS_WINDOW_SECONDS / 60
      const sentence = `${message}. The bot was lost ${losses.all} times within ${minutes} minutes and is not sent again`
      return failBot(inside, { bot, fence, at: from, step: 'stay', reason: 'WorkerLost', message: sentence })
    }
    await writeLoss(inside.db, bot, { message: `${message}; the bot rejoins`, from })
    if (held.inMeetingAt) await note(inside, { bot, fence, stage: 'Rejoining', at: from, message: `${message}; the bot rejoins` })
  })
}

async function endLeaving(deps: TransitionDeps, { botId: bot, fence }: Claim, { message, from: at }: { message: string; from: Date }) {
  await transition(deps, { bot, fence, at, message, by: 'left' })
  await processUnrecorded(deps.db, bot)
}

/** The bot is in the meeting under this claim: an absence ends. */
export async function returnBot(deps: TransitionDeps, claim: Claim, at: Date): Promise<void> {
  await together(deps, async (inside) => {
    const wasAway = await writeReturn(inside.db, claim, { message: 'Bot is back in the meeting', at })
    if (wasAway) await note(inside, { bot: claim.botId, fence: claim.fence, stage: 'Rejoined', at })
  })
}
