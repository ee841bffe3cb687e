// Repeats the checks of a scheduled bot's creation at its time: Zoom app, login and credits.
import type { LoginId } from '../../../domain/bot.ts'
import { ServiceError } from '../../../domain/errors.ts'
import { checkCredits } from '../../accounts/credits.ts'
import { pickLogin } from '../../accounts/logins.ts'
import { checkZoomAccess, type ServerZoom } from '../../accounts/zoom-app.ts'
import { inTransaction } from '../../db/database.ts'
import type { DueBot, WaitingBot } from '../../db/fleet/claims.ts'
import { type Move, type TransitionDeps, transition } from './transition.ts'

export type RecheckDeps = Pick<TransitionDeps, 'db' | 'tariff'> & { readonly zoom: ServerZoom }

type Checked = Pick<DueBot, 'workspaceId' | 'platform' | 'spec'>

/** Throws a ServiceError if the bot may not start. Returns the login it would take, which is locked until the transaction ends. */
export async function recheck({ db, tariff, zoom }: RecheckDeps, { workspaceId, platform, spec }: Checked): Promise<LoginId | null> {
  if (platform === 'zoom') await checkZoomAccess(db, zoom, { workspaceId, spec })
  const login = spec.signIn ? await pickLogin(db, workspaceId, spec.signIn) : null
  await checkCredits(db, tariff, workspaceId)
  return login
}

/** The move of a scheduled bot that may not start. */
export function rejection({ code, message }: ServiceError): Pick<Move, 'by' | 'reason' | 'message'> {
  const reason = code === 'low_credits' ? 'InsufficientCredits' : 'ScheduledDispatchRejected'
  return { by: 'launch_rejected', reason, message }
}

/** Ends those of the waiting scheduled bots that may not start. Bots with the same account and meeting platform share one check. */
export async function rejectWaiting(deps: RecheckDeps & TransitionDeps, waiting: readonly WaitingBot[], at: Date): Promise<void> {
  const scheduled = waiting.filter(({ status }) => status === 'Scheduled')
  const groups = Map.groupBy(scheduled, ({ workspaceId, platform, spec }) =>
    JSON.stringify([workspaceId, platform, spec.signIn, platform === 'zoom' && spec.zoomToken !== null]),
  )
  for (const bots of groups.values()) {
    const error = await problemOf(deps, bots)
    if (error) for (const { id, fence } of bots) await transition(deps, { bot: id, fence, at, ...rejection(error) })
  }
}

async function problemOf(deps: RecheckDeps, [bot]: readonly Checked[]): Promise<ServiceError | null> {
  try {
    if (bot) await inTransaction(deps.db, (tx) => recheck({ ...deps, db: tx }, bot))
    return null
  } catch (error) {
    if (error instanceof ServiceError) return error
    throw error
  }
}
