// Handles a lost session: records, announces and does not bill the absence, requeues the bot, and gives up after too many losses.
import { isLostTooOften, LOSS_WINDOW_SECONDS, LOSSES, type LossReason } from '../../../domain/absences.ts'
import { insertLoss, lockHeld, writeLoss, writeReturn } from '../../db/fleet/absences.ts'
import { type Claim, releaseClaim } from '../../db/fleet/claims.ts'
import { processUnrecorded } from '../../db/media/recordings.ts'
import { failBot } from './fail.ts'
import { addStage, atomically, type TransitionDeps, transition } from './transition.ts'

export type Loss = {
  readonly reason: LossReason
  /** When the session ended, as far as known. */
  readonly from: Date
  /** A bot whose claim was renewed meanwhile, or whose row is locked, stays as it is. */
  readonly onlyIfLapsed?: boolean
}

/** Puts the bot at the head of the queue. A claim that is not the bot's newest changes nothing. */
export async function loseBot(deps: TransitionDeps, claim: Claim, { reason, from, onlyIfLapsed = false }: Loss): Promise<void> {
  const { botId: bot, fence } = claim
  const { message } = LOSSES[reason]
  await atomically(deps, async (inside) => {
    const held = await lockHeld(inside.db, claim, { onlyIfLapsed })
    if (!held) return
    if (held.status === 'Scheduled') return releaseClaim(inside.db, claim, 0)
    // A bot that was leaving does not rejoin.
    if (held.status === 'Leaving') return endLeaving(inside, claim, { message: held.message, from })

    const losses = await insertLoss(inside.db, bot, { from, reason })
    inside.observe?.({ kind: 'lost', botId: bot, reason })
    if (isLostTooOften(losses)) {
      const minutes = LOSS_WINDOW_SECONDS / 60
      const sentence = `${message}. The bot was lost ${losses.all} times within ${minutes} minutes and is not sent again`
      return failBot(inside, { bot, fence, at: from, step: 'stay', reason: 'WorkerLost', message: sentence })
    }
    await writeLoss(inside.db, bot, { message: `${message}; the bot rejoins`, from })
    if (held.inMeetingAt) await addStage(inside, { bot, fence, stage: 'Rejoining', at: from, message: `${message}; the bot rejoins` })
  })
}

async function endLeaving(deps: TransitionDeps, { botId: bot, fence }: Claim, { message, from: at }: { message: string; from: Date }) {
  await transition(deps, { bot, fence, at, message, by: 'left' })
  await processUnrecorded(deps.db, bot)
}

/** The bot is in the meeting under this claim: ends its absence. */
export async function returnBot(deps: TransitionDeps, claim: Claim, at: Date): Promise<void> {
  await atomically(deps, async (inside) => {
    const lostAt = await writeReturn(inside.db, claim, { message: 'Bot is back in the meeting', at })
    if (!lostAt) return
    inside.observe?.({ kind: 'returned', botId: claim.botId, lostAt, at })
    await addStage(inside, { bot: claim.botId, fence: claim.fence, stage: 'Rejoined', at })
  })
}
