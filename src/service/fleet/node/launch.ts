// Launches a due bot: makes the checks that are possible only now, and gives it a seat.
import { type ErrorReason, ServiceError } from '../../../domain/errors.ts'
import { isJoinable, PLATFORMS } from '../../../domain/platforms.ts'
import type { SignInOrders } from '../../../domain/protocol.ts'
import { setLogin } from '../../db/fleet/bots.ts'
import type { DueBot } from '../../db/fleet/claims.ts'
import { type AccountDeps, accountFor } from '../bot/account.ts'
import { exhaustBot, failBot } from '../bot/fail.ts'
import { recheck, rejection } from '../bot/recheck.ts'
import { RETRY_WINDOW_MS } from '../bot/schedule.ts'
import { atomically, type TransitionDeps, transition } from '../bot/transition.ts'

export type LaunchDeps = TransitionDeps &
  AccountDeps & {
    /** Why this server cannot join Zoom meetings, as the end of a sentence; null: it can. */
    readonly zoomObstacle: string | null
    /** Gives the bot a seat in a worker. */
    readonly place: (bot: DueBot, signIn: SignInOrders | null) => Promise<void> | void
  }

export async function launch(deps: LaunchDeps, bot: DueBot): Promise<void> {
  const claimedAt = deps.now()
  if (bot.status === 'Scheduled' && !(await start(deps, bot))) return
  const fail = ({ by, reason, message }: Obstacle) =>
    failBot(deps, { bot: bot.id, fence: bot.fence, at: deps.now(), step: 'launch', by, reason, message })
  const problem = obstacle(deps, bot)
  if (problem) return fail(problem)
  const account = await accountFor(deps, bot)
  if (account.kind === 'none') return fail({ ...account, by: 'join_failed' })
  await deps.place(bot, account.kind === 'account' ? account.orders : null)
  // A bot that begins before its time has not waited.
  const dueAt = bot.dueAt < claimedAt ? bot.dueAt : claimedAt
  deps.observe?.({ kind: 'seated', botId: bot.id, platform: bot.platform, dueAt, claimedAt, at: deps.now() })
}

/** Moves a scheduled bot to joining, if the checks of its creation still pass. */
async function start(deps: LaunchDeps, bot: DueBot): Promise<boolean> {
  const at = deps.now()
  const move = { bot: bot.id, fence: bot.fence, at }
  if (bot.joinAt && at.getTime() > bot.joinAt.getTime() + RETRY_WINDOW_MS) {
    await exhaustBot(deps, bot, at)
    return false
  }
  try {
    const joining = await atomically(deps, async (inside) => {
      const login = await recheck({ ...inside, zoom: deps.zoom }, bot)
      if (login) await setLogin(inside.db, bot.id, login)
      return transition(inside, { ...move, by: 'launched' })
    })
    return joining !== null
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    await transition(deps, { ...move, ...rejection(error) })
    return false
  }
}

type Obstacle = { readonly by: 'join_failed' | 'join_blocked'; readonly reason: ErrorReason; readonly message: string }

/** The obstacle to a launch; null: there is none. */
function obstacle({ zoomObstacle }: LaunchDeps, { platform, spec }: DueBot): Obstacle | null {
  if (!spec.meeting.joinable)
    return { by: 'join_failed', reason: 'InvalidMeetingLink', message: `Invalid meeting link format: ${spec.meeting.reason}` }
  if (platform === 'zoom' && zoomObstacle !== null)
    return { ...UNAVAILABLE, by: 'join_failed', message: `This server cannot join Zoom meetings: ${zoomObstacle}` }
  if (!isJoinable(platform)) {
    const why = `no public way to join a ${PLATFORMS[platform].label} call is known`
    return { ...UNAVAILABLE, by: 'join_blocked', message: `The link is valid, but joining is not available on this server: ${why}` }
  }
  return null
}

const UNAVAILABLE = { reason: 'PlatformUnavailable' } as const
