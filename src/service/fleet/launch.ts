// Puts a due bot on its way: the checks that can only be made now, and then a driver for its platform.
import { type ErrorReason, ServiceError } from '../../domain/errors.ts'
import { isJoinable, PLATFORMS } from '../../domain/platforms.ts'
import type { SignInOrders } from '../../domain/protocol.ts'
import { checkCredits } from '../accounts/credits.ts'
import { pickLogin } from '../accounts/logins.ts'
import { checkZoomApp, type ServerZoom } from '../accounts/zoom-app.ts'
import { setLogin } from '../db/bots.ts'
import type { DueBot } from '../db/claims.ts'
import { type AccountDeps, accountFor } from './account.ts'
import { exhaustBot, failBot } from './fail.ts'
import { RETRY_WINDOW_MS } from './schedule.ts'
import { type Move, type TransitionDeps, together, transition } from './transition.ts'

export type LaunchDeps = TransitionDeps &
  AccountDeps & {
    /** Gives the bot a seat in a host. */
    readonly place: (bot: DueBot, signIn: SignInOrders | null) => Promise<void> | void
  }

export async function launch(deps: LaunchDeps, bot: DueBot): Promise<void> {
  if (bot.status === 'Scheduled' && !(await start(deps, bot))) return
  const fail = ({ reason, message }: Obstacle) =>
    failBot(deps, { bot: bot.id, fence: bot.fence, at: deps.now(), step: 'launch', reason, message })
  const problem = obstacle(bot)
  if (problem) return fail(problem)
  const account = await accountFor(deps, bot)
  if (account.kind === 'none') return fail(account)
  await deps.place(bot, account.kind === 'account' ? account.orders : null)
}

/** A scheduled bot becomes a joining one, if what was checked at its creation still holds. */
async function start(deps: LaunchDeps, bot: DueBot): Promise<boolean> {
  const at = deps.now()
  const move = { bot: bot.id, fence: bot.fence, at }
  if (bot.joinAt && at.getTime() > bot.joinAt.getTime() + RETRY_WINDOW_MS) {
    await exhaustBot(deps, bot, at)
    return false
  }
  try {
    const joining = await together(deps, async (inside) => {
      await recheck(inside, deps.zoom, bot)
      return transition(inside, { ...move, by: 'launched' })
    })
    return joining !== null
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    await transition(deps, { ...move, ...rejection(error) })
    return false
  }
}

async function recheck({ db, tariff }: TransitionDeps, zoom: ServerZoom, bot: DueBot): Promise<void> {
  if (bot.platform === 'zoom') await checkZoomApp(db, zoom, bot.workspaceId)
  if (bot.spec.signIn) await setLogin(db, bot.id, await pickLogin(db, bot.workspaceId, bot.spec.signIn))
  await checkCredits(db, tariff, bot.workspaceId)
}

function rejection({ code, message }: ServiceError): Pick<Move, 'by' | 'reason' | 'message'> {
  const reason = code === 'low_credits' ? 'InsufficientCredits' : 'ScheduledDispatchRejected'
  return { by: 'launch_rejected', reason, message }
}

type Obstacle = { readonly reason: ErrorReason; readonly message: string }

/** What keeps the bot from being sent, if anything does. */
function obstacle({ platform, spec }: DueBot): Obstacle | null {
  if (!spec.meeting.joinable) return { reason: 'InvalidMeetingLink', message: `Invalid meeting link format: ${spec.meeting.reason}` }
  if (!isJoinable(platform)) {
    const message = `This server cannot join ${PLATFORMS[platform].label} meetings: no driver for the platform is installed`
    return { reason: 'PlatformUnavailable', message }
  }
  return null
}
