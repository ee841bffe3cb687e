// Assembles everything that one bot in a worker needs, and closes it when the bot is out.
import type { BotId } from '../../domain/bot.ts'
import type { BotOrders, FromWorker, WorkerLog } from '../../domain/protocol.ts'
import type { NativeSettings } from '../../domain/speech-providers.ts'
import { createHttpClient } from '../../kit/http-client.ts'
import type { Speech } from '../../speech/registry.ts'
import { type BotAttendance, createAttendance } from '../attendance/attendance.ts'
import { createCommands } from '../attendance/commands.ts'
import { createOtherSession, type OtherSession } from '../attendance/other-session.ts'
import { createChat } from '../attendance/own-chat.ts'
import { createPresence } from '../attendance/presence.ts'
import { collectProblems, createExplain } from '../attendance/problems.ts'
import { createScreenshots, type Screenshots } from '../attendance/screenshots.ts'
import { attend, type Outcome, type SessionTools } from '../attendance/session.ts'
import { type Capture, startCapture } from '../capture/capture.ts'
import type { DriverPage, OpenBrowser } from '../drivers/driver.ts'
import { driverOf } from '../drivers/registry.ts'
import { createAudioDecoders } from '../live/audio-decoders.ts'
import { needsRecogniser } from '../live/live-outputs.ts'
import { createOutgoingMedia } from '../outgoing/outgoing.ts'

export type LastReport = Extract<FromWorker, { kind: 'finished' | 'lost' }>

/** `broken`: its page died or is frozen. */
export type Condition = 'well' | 'broken' | 'leaving'

export type Seat = Awaited<ReturnType<typeof takeSeat>>

export type SeatTools = OpenBrowser & {
  readonly freshBrowser: () => Promise<OpenBrowser>
  readonly report: (report: FromWorker) => void
  readonly log: (level: WorkerLog['level'], message: string, detail: string, botId: BotId) => void
  readonly now: () => number
  readonly speechWith: (weights: NativeSettings) => Speech
}

export async function takeSeat({ browser, display, freshBrowser, report, log, now, speechWith }: SeatTools, orders: BotOrders) {
  const { botId, fence, spec, folder, signIn, identity, driver: driverName, sdkFolder, pageRules } = orders
  const { profile, create } = driverOf(driverName)
  let attendance: BotAttendance | null = null
  let keepEvidence: SessionTools['failed'] | null = null
  const onProblem = collectProblems({ log: (...line) => log('warn', ...line, botId), failed: () => keepEvidence })
  const decoders = createAudioDecoders({
    onFrame: (...frame) => attendance?.onAudio(...frame),
    onProblem: (message) => onProblem('live audio', message),
  })
  const isLive = spec.liveAudioUrl !== null || needsRecogniser(orders)
  const capture = await startCapture({
    ...recordingOf(orders),
    ...profile,
    ...(!isLive && profile.recordingOnly),
    onTrackEnded: (source) => decoders.remove(source),
    onAudio: (...packet) => (isLive || attendance?.isWatched()) && !other.has(capture.participantOf(packet[0])) && decoders.push(...packet),
    onProblem: (message) => onProblem('capture', message),
  })
  const other = otherSession(orders, capture, now)
  const media = createOutgoingMedia()
  const http = createHttpClient({ allowPrivate: orders.allowPrivateUrls })
  const scripts = [capture.initScript, media.initScript]
  const own = { botId, spec, isLive, signIn, identity, sdkFolder, pageRules, http }
  const onRefused = async (message: string) => keepEvidence?.('knock', message)
  const opening = create({ ...own, browser, display, freshBrowser, onRefused, now, scripts }).catch(async (error: unknown) => {
    await Promise.all([capture.end('No page could be opened'), http.close()])
    throw error
  })
  const driver = other.hideFrom(await opening)
  const presence = createPresence(driver, media)
  const onTaken = (file: string, at: number) => report({ kind: 'screenshot', botId, fence, file, at })
  const screenshots = createScreenshots({ page: driver.page, capture, folder, now, onTaken })
  const explain = createExplain((...line) => log('warn', ...line, botId))
  const failed = createEvidence(orders, { page: driver.page, screenshots, now, report })
  keepEvidence = failed
  const chat = createChat(orders, { driver, now, report })
  attendance = createAttendance({ orders, driver, chat, capture, presence, screenshots, http, now, report, failed, explain, speechWith })
  const { session, condition } = sessionFor(orders, { driver, chat, attendance, now, failed, explain, report })
  const tools = { chat, presence, screenshots, recording: attendance, http, voice: orders.voice, failed, explain }
  return {
    perform: createCommands(tools),
    glance: attendance.glance,
    condition,
    isStarved: attendance.isStarved,
    /** Another session of the bot is about to join beside this one. */
    expectOther: () => other.expect(driver.attendees().others),
    /** Leaves the meeting at once by closing the page. */
    drop: () => driver.leave('at once'),
    /** Resolves with the last report when the bot is out. */
    async sit(signal: AbortSignal): Promise<LastReport> {
      // The platform may take the bot for a suspicious one, and the reason must be known then.
      if (identity?.kind === 'refused') await failed('knock', identity.message, 'not_identified')
      const outcome = await attend(session, signal)
      decoders.end()
      await http.close()
      return lastReport(orders, outcome, now())
    },
  }
}

const recordingOf = ({ folder, fence, recordedBefore, spec }: BotOrders) => ({ folder, session: fence, recordedBefore, video: spec.video })

function otherSession({ spec, beside }: BotOrders, capture: Capture, now: () => number): OtherSession {
  const other = createOtherSession({ name: spec.name, now, onSeen: (participantId) => capture.addOwn(participantId) })
  if (beside) other.expect(beside.namesakes.map((id) => ({ id })))
  return other
}

function lastReport({ botId, fence }: BotOrders, outcome: Outcome, at: number): LastReport {
  return outcome.kind === 'lost' ? { kind: 'lost', botId, fence, reason: outcome.reason, at } : { kind: 'finished', botId, fence }
}

type EvidenceTools = Pick<SeatTools, 'now' | 'report'> & { readonly page: DriverPage; readonly screenshots: Screenshots }

/** Reports a failure with the page's text, its log and a screenshot. */
function createEvidence({ botId, fence }: BotOrders, { page, screenshots, now, report }: EvidenceTools): SessionTools['failed'] {
  return async (step, message, code) => {
    const at = now()
    const [pageText, screenshot] = await Promise.all([page.text(), screenshots.ofFailure()])
    report({ kind: 'failed', botId, fence, step, message, ...(code && { code }), pageText, pageLog: page.complaints(), screenshot, at })
  }
}

type Wiring = Pick<SessionTools, 'driver' | 'chat' | 'attendance' | 'now' | 'failed' | 'explain'> & Pick<SeatTools, 'report'>

/** Turns the session's events into reports, and derives the bot's condition from them. */
function sessionFor(orders: BotOrders, { report, ...tools }: Wiring): { session: SessionTools; condition: () => Condition } {
  const { botId, fence, spec, isGreeted } = orders
  const { driver, attendance, now } = tools
  let condition: Condition = 'well'
  void attendance.frozen.then(() => {
    condition = 'broken'
  })
  const session: SessionTools = {
    ...tools,
    spec,
    moved(by, details) {
      if (by === 'leaving') condition = 'leaving'
      report({ kind: 'moved', botId, fence, by, at: now(), ...details })
    },
    onRoster: (roster) => report({ kind: 'people', botId, fence, roster }),
    onChat: ({ from, name, text, at }) => report({ kind: 'chat', botId, fence, message: { from, name, text, at } }),
    greeting: isGreeted ? null : spec.greeting,
    greeted() {
      if (!isGreeted) report({ kind: 'greeted', botId, fence, at: now() })
    },
  }
  return { session, condition: () => (driver.page.died ? 'broken' : condition) }
}
