// Credits of a workspace: balance checks, charges and refunds.
import { type Absence, absentMs } from '../../domain/absences.ts'
import type { BotId, WorkspaceId } from '../../domain/bot.ts'
import { ServiceError } from '../../domain/errors.ts'
import { newId } from '../../kit/id.ts'
import { balanceOf, enterCredit, findUsage, lockBalance, workspaceExists } from '../db/accounts/accounts.ts'
import { type Db, inTransaction } from '../db/database.ts'
import { countRunning } from '../db/fleet/bots.ts'

export type Tariff = {
  /** False: usage is metered, but no balance is required. */
  readonly enforced: boolean
  readonly pricePerHour: number
  readonly currency: string
}

type TariffSettings = { readonly CREDITS: 'on' | 'off'; readonly PRICE_PER_HOUR: number; readonly CURRENCY: string }

export function tariffOf({ CREDITS, PRICE_PER_HOUR, CURRENCY }: TariffSettings): Tariff {
  return { enforced: CREDITS === 'on', pricePerHour: PRICE_PER_HOUR, currency: CURRENCY }
}

/** The specification's minimum balance while another bot runs. */
const LEAST_WITH_RUNNING_BOT = 1

/** Throws if the balance does not allow another bot. Locks the balance, so that concurrent starts are checked one by one. */
export async function checkCredits(tx: Db, tariff: Tariff, workspace: WorkspaceId): Promise<void> {
  if (!tariff.enforced) return
  const balance = await lockBalance(tx, workspace)
  const least = tariff.pricePerHour / 2
  if (balance < least) {
    const message = `Low credits: the balance is ${balance} ${tariff.currency}, and a bot needs at least ${least} ${tariff.currency} (30 minutes).`
    throw new ServiceError('low_credits', message, { error: message, available_credits: balance, minimum_required: least })
  }
  if (balance >= LEAST_WITH_RUNNING_BOT) return
  const running = await countRunning(tx, workspace)
  if (running > 0) {
    const message = `Low credits: with less than ${LEAST_WITH_RUNNING_BOT} ${tariff.currency} only one bot can run at a time.`
    throw new ServiceError('low_credits', message, { error: message, active_bots: running })
  }
}

export async function grantCredits(db: Db, workspace: WorkspaceId, amount: number, at: Date): Promise<number> {
  return inTransaction(db, async (tx) => {
    if (!(await workspaceExists(tx, workspace))) throw new ServiceError('workspace_not_found')
    await enterCredit(tx, { id: newId('crd', at), workspaceId: workspace, kind: 'grant', amount, botId: null, botSeconds: null, at })
    return balanceOf(tx, workspace)
  })
}

export type Attendance = {
  readonly botId: BotId
  readonly workspaceId: WorkspaceId
  readonly from: Date
  readonly to: Date
  readonly absences: readonly Absence[]
}

/** Refunds the charge of a bot that delivered nothing. Idempotent. */
export async function refundAttendance(tx: Db, botId: BotId, at: Date): Promise<void> {
  const usage = await findUsage(tx, botId)
  if (!usage) return
  const { workspaceId, amount, botSeconds } = usage
  await enterCredit(tx, { id: newId('crd', at), workspaceId, kind: 'refund', amount: -amount, botId, botSeconds: -botSeconds, at })
}

/** Charges the seconds between admission and leaving, without absences. Idempotent per bot. */
export async function chargeAttendance(tx: Db, tariff: Tariff, { botId, workspaceId, from, to, absences }: Attendance): Promise<void> {
  const presentMs = to.getTime() - from.getTime() - absentMs(absences, from, to)
  const seconds = Math.max(0, Math.ceil(presentMs / 1000))
  const amount = -((seconds * tariff.pricePerHour) / 3600)
  await enterCredit(tx, { id: newId('crd', to), workspaceId, kind: 'usage', amount, botId, botSeconds: seconds, at: to })
}
