// Puts a due bot on its way: the checks that can only be made now, and then a driver for its platform.
import type { WorkspaceId } from '../../domain/bot.ts'
import { type ErrorReason, ServiceError } from '../../domain/errors.ts'
import { PLATFORMS, type Platform } from '../../domain/platforms.ts'
import type { BotOrders } from '../../domain/protocol.ts'
import { checkCredits } from '../accounts/credits.ts'
import { pickLogin } from '../accounts/logins.ts'
import { addEvidence, type DueBot, setLogin } from '../db/bots.ts'
import { processUnrecorded } from '../db/recordings.ts'
import { accountFor } from './account.ts'
import { RETRY_WINDOW_MS } from './schedule.ts'
import { type Move, type TransitionDeps, together, transition } from './transition.ts'

/** What the bot's own row says; the rest is the same for every bot of the node. */
export type NewOrders = Pick<BotOrders, 'botId' | 'fence' | 'spec' | 'customAttributes' | 'signIn'>

export type LaunchDeps = TransitionDeps & {
  readonly now: () => Date
  /** Where bots' browsers reach this server. */
  readonly publicUrl: () => string
  /** Gives the bot a seat in a host. */
  readonly place: (orders: NewOrders, workspace: WorkspaceId) => Promise<void> | void
}

/** The platforms whose meetings can be joined. */
const DRIVEN: ReadonlySet<Platform> = new Set(['room', 'google_meet'])

/** A bot is sent once and, when its host or node dies, three times more. */
const MOST_CLAIMS = 4

export async function launch(deps: LaunchDeps, bot: DueBot): Promise<void> {
  if (bot.status === 'Scheduled' && !(await start(deps, bot))) return
  const problem = obstacle(bot)
  if (problem) return end(deps, bot, problem)
  const account = await accountFor(deps, bot)
  if (account.kind === 'none') return end(deps, bot, account)
  const signIn = account.kind === 'account' ? account.orders : null
  const { id: botId, fence, spec, customAttributes } = bot
  await deps.place({ botId, fence, spec, customAttributes, signIn }, bot.workspaceId)
}

/** A scheduled bot becomes a joining one, if what was checked at its creation still holds. */
async function start(deps: LaunchDeps, bot: DueBot): Promise<boolean> {
  const at = deps.now()
  const move = { bot: bot.id, fence: bot.fence, at }
  if (bot.joinAt && at.getTime() > bot.joinAt.getTime() + RETRY_WINDOW_MS) {
    const message = 'The scheduled bot could not be started within 20 minutes after its join time'
    await transition(deps, { ...move, by: 'launch_exhausted', reason: 'ScheduledDispatchExhausted', message })
    return false
  }
  try {
    const joining = await together(deps, async (inside) => {
      await recheck(inside, bot)
      return transition(inside, { ...move, by: 'launched' })
    })
    return joining !== null
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    await transition(deps, { ...move, ...rejection(error) })
    return false
  }
}

async function recheck({ db, tariff }: TransitionDeps, bot: DueBot): Promise<void> {
  if (bot.spec.signIn) await setLogin(db, bot.id, await pickLogin(db, bot.workspaceId, bot.spec.signIn))
  await checkCredits(db, tariff, bot.workspaceId)
}

function rejection({ code, message }: ServiceError): Pick<Move, 'by' | 'reason' | 'message'> {
  const reason = code === 'low_credits' ? 'InsufficientCredits' : 'ScheduledDispatchRejected'
  return { by: 'launch_rejected', reason, message }
}

type Obstacle = { readonly reason: ErrorReason; readonly message: string }

/** What keeps the bot from being sent, if anything does. */
function obstacle({ platform, spec, fence }: DueBot): Obstacle | null {
  if (!spec.meeting.joinable) return { reason: 'InvalidMeetingLink', message: `Invalid meeting link format: ${spec.meeting.reason}` }
  if (!DRIVEN.has(platform)) {
    const message = `This server cannot join ${PLATFORMS[platform].label} meetings: no driver for the platform is installed`
    return { reason: 'PlatformUnavailable', message }
  }
  if (fence > MOST_CLAIMS) return { reason: 'WorkerLost', message: `The bot was lost ${MOST_CLAIMS} times and is not sent again` }
  return null
}

/** The bot says why it ends, keeps the evidence, and pays for no more than it attended. */
async function end(deps: LaunchDeps, bot: DueBot, { reason, message }: Obstacle): Promise<void> {
  const at = deps.now()
  const move = { bot: bot.id, fence: bot.fence, at, reason, message }
  await together(deps, async (inside) => {
    const outside = await transition(inside, { ...move, by: 'join_failed' })
    // A bot that had got further leaves first, as the table has it.
    if (!outside) await transition(inside, { ...move, by: 'leaving' })
    if (!(outside ?? (await transition(inside, { ...move, by: 'failed' })))) return
    await addEvidence(inside.db, bot.id, { at: at.toISOString(), step: 'launch', message, pageText: null })
    await processUnrecorded(inside.db, bot.id)
  })
}
