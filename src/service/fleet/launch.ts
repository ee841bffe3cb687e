// Puts a due bot on its way: the checks that can only be made now, and then a driver for its platform.
import { type ErrorReason, ServiceError } from '../../domain/errors.ts'
import { PLATFORMS } from '../../domain/platforms.ts'
import { checkCredits } from '../accounts/credits.ts'
import { pickLogin } from '../accounts/logins.ts'
import { addEvidence, type DueBot, setLogin } from '../db/bots.ts'
import { concludeUnrecorded } from './conclude.ts'
import { RETRY_WINDOW_MS } from './schedule.ts'
import { type Move, type TransitionDeps, together, transition } from './transition.ts'

export type LaunchDeps = TransitionDeps & { readonly now: () => Date }

export async function launch(deps: LaunchDeps, bot: DueBot): Promise<void> {
  if (bot.status === 'Scheduled' && !(await start(deps, bot))) return
  await endUnjoined(deps, bot)
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

/** The bot says what keeps it from joining, keeps the evidence, and costs nothing. */
async function endUnjoined(deps: LaunchDeps, bot: DueBot): Promise<void> {
  const at = deps.now()
  const { reason, message } = obstacle(bot)
  await together(deps, async (inside) => {
    if (!(await transition(inside, { bot: bot.id, fence: bot.fence, at, by: 'join_failed', reason, message }))) return
    await addEvidence(inside.db, bot.id, { at: at.toISOString(), step: 'launch', message, pageText: null })
    await concludeUnrecorded(inside, bot.id, at)
  })
}

function obstacle({ platform, spec }: DueBot): { readonly reason: ErrorReason; readonly message: string } {
  if (!spec.meeting.joinable) return { reason: 'InvalidMeetingLink', message: `Invalid meeting link format: ${spec.meeting.reason}` }
  // No driver is built yet, for any platform.
  const message = `This server cannot join ${PLATFORMS[platform].label} meetings: no driver for the platform is installed`
  return { reason: 'PlatformUnavailable', message }
}
