// Credits: what a workspace may still spend, and what a bot's time costs it.
import { type Absence, absentMs } from '../../domain/absences.ts'
import type { BotId, WorkspaceId } from '../../domain/bot.ts'
import { ServiceError } from '../../domain/errors.ts'
import { newId } from '../../kit/id.ts'
import { balanceOf, enterCredit, findUsage, lockBalance, workspaceExists } from '../db/accounts.ts'
import { countRunning } from '../db/bots.ts'
import { type Db, inTransaction } from '../db/database.ts'

export type Tariff = {
  /** False: everybody may spend without end, and usage is only metered. */
  readonly enforced: boolean
  readonly pricePerHour: number
  readonly currency: string
}

/** Below one unit a workspace that already has a bot running cannot start another. */
const LEAST_WITH_RUNNING_BOT = 1

function leastToStart(tariff: Tariff): number {
  return tariff.pricePerHour / 2
}

/** Throws where the workspace's balance does not allow another bot. Bots that start at the same time wait for each other. */
export async function checkCredits(tx: Db, tariff: Tariff, workspace: WorkspaceId): Promise<void> {
  if (!tariff.enforced) return
  const balance = await lockBalance(tx, workspace)
  const least = leastToStart(tariff)
  if (balance < least) {
    const message = `Low credits: ${balance} ${tariff.currency} left, at least ${least} ${tariff.currency} (30 minutes) needed.`
    throw new ServiceError('low_credits', message, { error: message, available_credits: balance, minimum_required: least })
  }
  if (balance >= LEAST_WITH_RUNNING_BOT) return
  const running = await countRunning(tx, workspace)
  if (running > 0) {
    const message = `Low credits: below ${LEAST_WITH_RUNNING_BOT} ${tariff.currency} no further bot starts while one runs.`
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

/** A bot that brought nothing costs nothing: what it was charged is given back, once. */
export async function refundAttendance(tx: Db, botId: BotId, at: Date): Promise<void> {
  const usage = await findUsage(tx, botId)
  if (!usage) return
  const { workspaceId, amount, botSeconds } = usage
  await enterCredit(tx, { id: newId('crd', at), workspaceId, kind: 'refund', amount: -amount, botId, botSeconds: -botSeconds, at })
}

/** Charges the time from entering to leaving without absences, by the second, once per bot. */
export async function chargeAttendance(tx: Db, tariff: Tariff, { botId, workspaceId, from, to, absences }: Attendance): Promise<void> {
  const presentMs = to.getTime() - from.getTime() - absentMs(absences, from, to)
  const seconds = Math.max(0, Math.ceil(presentMs / 1000))
  const amount = -((seconds * tariff.pricePerHour) / 3600)
  await enterCredit(tx, { id: newId('crd', to), workspaceId, kind: 'usage', amount, botId, botSeconds: seconds, at: to })
}
