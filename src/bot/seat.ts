// Assembles everything that one bot in a host needs, and closes it when the bot is out.
import type { BotId } from '../domain/bot.ts'
import type { MeetingCommand } from '../domain/meeting.ts'
import type { BotOrders, CommandProblem, FromHost, Glance, HostLog } from '../domain/protocol.ts'
import type { NativeSettings } from '../domain/speech-providers.ts'
import { createHttpClient } from '../kit/http-client.ts'
import type { Speech } from '../speech/registry.ts'
import { startCapture } from './capture/capture.ts'
import { createCommands } from './commands.ts'
import type { OpenBrowser } from './drivers/browsers.ts'
import type { DriverPage } from './drivers/driver.ts'
import { driverOf } from './drivers/registry.ts'
import { createExplain } from './explain.ts'
import { createAudioDecoders } from './live/audio-decoders.ts'
import { needsRecogniser } from './live/live-transcript.ts'
import { createOutgoingMedia } from './outgoing/outgoing.ts'
import { createChat } from './own-chat.ts'
import { createPresence } from './presence.ts'
import { collectProblems } from './problems.ts'
import { createScreenshots, type Screenshots } from './screenshots.ts'
import { attend, type SessionTools } from './session.ts'
import { type BotWork, createWork } from './work.ts'

export type LastReport = Extract<FromHost, { kind: 'finished' | 'lost' }>

/** `broken`: its page died or is frozen. */
export type Condition = 'well' | 'broken' | 'leaving'

export type Seat = {
  perform(command: MeetingCommand): Promise<CommandProblem | null>
  glance(): Glance
  condition(): Condition
  /** True while its page is silent because its browser waits for a CPU. */
  isStarved(): boolean
  /** Leaves the meeting at once by closing the page. */
  drop(): Promise<void>
  /** Resolves with the last report when the bot is out. */
  sit(signal: AbortSignal): Promise<LastReport>
}

export type SeatTools = OpenBrowser & {
  readonly report: (report: FromHost) => void
  readonly log: (level: HostLog['level'], message: string, detail: string, botId: BotId) => void
  readonly now: () => number
  readonly speechWith: (weights: NativeSettings) => Speech
}

export async function takeSeat({ browser, display, report, log, now, speechWith }: SeatTools, orders: BotOrders): Promise<Seat> {
  const { botId, fence, spec, folder, signIn, driver: driverName, sdkFolder, tables } = orders
  const { profile, create } = driverOf(driverName)
  let work: BotWork | null = null
  let keepEvidence: SessionTools['failed'] | null = null
  const onProblem = collectProblems({ log: (...line) => log('warn', ...line, botId), failed: () => keepEvidence })
  const decoders = createAudioDecoders({
    onFrame: (...frame) => work?.onAudio(...frame),
    onProblem: (message) => onProblem('live audio', message),
  })
  const isLive = spec.liveAudioUrl !== null || needsRecogniser(orders)
  const capture = await startCapture({
    folder,
    session: fence,
    video: spec.video,
    ...profile,
    ...(!isLive && profile.recordingOnly),
    onTrackEnded: (source) => decoders.remove(source),
    onAudio: (...packet) => (isLive || work?.isWatched()) && decoders.push(...packet),
    onProblem: (message) => onProblem('capture', message),
  })
  const media = createOutgoingMedia()
  const http = createHttpClient({ allowPrivate: orders.allowPrivateUrls })
  const scripts = [capture.initScript, media.initScript]
  const own = { botId, spec, isLive, signIn, sdkFolder, tables, http }
  const driver = await create({ ...own, browser, display, now, scripts }).catch(async (error: unknown) => {
    await Promise.all([capture.end('No page could be opened'), http.close()])
    throw error
  })
  const presence = createPresence(driver, media)
  const onTaken = (file: string, at: number) => report({ kind: 'screenshot', botId, fence, file, at })
  const screenshots = createScreenshots({ page: driver.page, capture, folder, now, onTaken })

  const explain = createExplain((...line) => log('warn', ...line, botId))
  const failed = createEvidence(orders, { page: driver.page, screenshots, now, report })
  keepEvidence = failed
  const chat = createChat(orders, { driver, now, report })
  work = createWork({ orders, driver, chat, capture, presence, screenshots, http, now, report, failed, explain, speechWith })
  const { session, condition } = sessionFor(orders, { driver, chat, work, now, failed, explain, report })
  const tools = { chat, presence, screenshots, recording: work, http, voice: orders.voice, failed, explain }
  return {
    perform: createCommands(tools),
    glance: work.glance,
    condition,
    isStarved: work.isStarved,
    drop: () => driver.leave('at once'),
    async sit(signal) {
      const outcome = await attend(session, signal)
      decoders.end()
      await http.close()
      return outcome.kind === 'lost'
        ? { kind: 'lost', botId, fence, reason: outcome.reason, at: now() }
        : { kind: 'finished', botId, fence }
    },
  }
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

type Wiring = Pick<SessionTools, 'driver' | 'chat' | 'work' | 'now' | 'failed' | 'explain'> & Pick<SeatTools, 'report'>

/** Turns the session's events into reports, and derives the bot's condition from them. */
function sessionFor(orders: BotOrders, { report, ...tools }: Wiring): { session: SessionTools; condition: () => Condition } {
  const { botId, fence, spec, isGreeted } = orders
  const { driver, work, now } = tools
  let condition: Condition = 'well'
  void work.frozen.then(() => {
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
