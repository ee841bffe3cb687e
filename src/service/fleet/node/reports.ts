// Writes the reports of workers, in order for each bot and fenced by the claim of the report.
import { setTimeout as delay } from 'node:timers/promises'
import { LIVE_WORDS_FAILED } from '../../../domain/announcements.ts'
import type { BotId } from '../../../domain/bot.ts'
import type { Trigger } from '../../../domain/lifecycle.ts'
import type { Logger } from '../../../kit/log.ts'
import { monotonicMs } from '../../../kit/monotonic.ts'
import type { ObjectStore } from '../../../storage/store.ts'
import { inTransaction } from '../../db/database.ts'
import { addEvidence, noteGreeted, notePause } from '../../db/fleet/bots.ts'
import { type Claim, lockClaim } from '../../db/fleet/claims.ts'
import { closeRoster } from '../../db/fleet/meetings.ts'
import { LIVE_PROVIDER_STEP } from '../../db/media/transcriptions.ts'
import { isUnreachable } from '../../db/unreachable.ts'
import type { LiveEvents } from '../../delivery/live-events.ts'
import { noteAccount } from '../bot/account.ts'
import { loseBot, returnBot } from '../bot/lose.ts'
import { storeScreenshot } from '../bot/screenshots.ts'
import { addStage, announceEvent, atomically, type FleetDeps, transition } from '../bot/transition.ts'
import type { Report } from '../workers/workers.ts'
import type { Successions } from './successions.ts'
import { WaitingReports } from './waiting-reports.ts'

export type ReportDeps = FleetDeps & {
  readonly store: ObjectStore
  /** How long bots may stay without the database. */
  readonly outageSeconds: number
  readonly live: LiveEvents
  /** Called when the bot's session on this node has ended. */
  readonly collectRecording: (botId: BotId) => Promise<void>
  /** The bots that this node joins beside their holder. */
  readonly successions: Pick<Successions, 'takeOver' | 'end'>
}

/** A failed write is retried for about a minute. */
const PAUSES_MS = [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000]
/** While the database is away a write is retried as long as the bot may stay, and then until the node has renewed its claims. */
const LONGEST_PAUSE_MS = 2_000
const RENEWED_WITHIN_MS = 60_000

type Pending = Claim & { readonly done: Promise<void> }

export class Reports {
  readonly #deps: ReportDeps
  readonly #log: Logger
  readonly #last = new Map<BotId, Pending>()
  readonly #waiting: WaitingReports
  readonly #stopping = new AbortController()

  constructor(deps: ReportDeps, log: Logger, waiting = new WaitingReports()) {
    this.#waiting = waiting
    this.#deps = deps
    this.#log = log
  }

  add(report: Report): void {
    const { botId, fence } = report
    const size = this.#waiting.add(report)
    if (size === null) return
    const sinceMs = monotonicMs()
    const before = this.#last.get(botId)?.done ?? Promise.resolve()
    const pending: Pending = {
      botId,
      fence,
      done: before.then(() => this.#write(report, sinceMs)).finally(() => this.#waiting.remove(size)),
    }
    this.#last.set(botId, pending)
    void pending.done.then(() => this.#last.get(botId) === pending && this.#last.delete(botId))
  }

  /** Claims with unwritten reports. They are renewed, so that a bot that has already left is not sent again. */
  pending(): readonly Claim[] {
    return [...this.#last.values()]
  }

  /** Tries each unwritten report once more. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.all([...this.#last.values()].map(({ done }) => done))
  }

  async #write(report: Report, sinceMs: number): Promise<void> {
    const { kind, botId } = report
    for (let failures = 0; ; failures++) {
      try {
        await writeReport(this.#deps, report)
        return await this.#sayDropped(report)
      } catch (error) {
        const pauseMs = this.#pauseMs(error, failures, sinceMs)
        if (pauseMs === null) return this.#giveUp(report, error)
        // Each report of an outage would log each attempt.
        if (failures === 0) this.#log.warn({ err: error, botId, report: kind }, 'report could not be written')
        // An abort ends the pause.
        await delay(pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined)
      }
    }
  }

  #giveUp({ botId, kind }: Report, error: unknown): void {
    this.#waiting.drop(botId)
    this.#log.error({ err: error, botId, report: kind }, 'report could not be written and is dropped')
  }

  /** Null: the report is given up. */
  #pauseMs(error: unknown, failures: number, sinceMs: number): number | null {
    if (this.#stopping.signal.aborted) return null
    const pauseMs = PAUSES_MS[failures] ?? null
    if (!isUnreachable(error)) return pauseMs
    const untilMs = sinceMs + this.#deps.outageSeconds * 1000 + RENEWED_WITHIN_MS
    return monotonicMs() < untilMs ? Math.min(pauseMs ?? LONGEST_PAUSE_MS, LONGEST_PAUSE_MS) : null
  }

  /** The bot's row says what is missing. */
  async #sayDropped({ botId, fence }: Report): Promise<void> {
    const count = this.#waiting.takeDropped(botId)
    if (count === 0) return
    const message = `${count} reports of the meeting, such as chat or participants, were dropped because the database was away for too long`
    this.#log.error({ botId, count }, 'reports were dropped')
    const evidence = { at: new Date().toISOString(), step: 'report', message, pageText: null, screenshot: null }
    await inTransaction(this.#deps.db, async (tx) => {
      if (await lockClaim(tx, { botId, fence })) await addEvidence(tx, botId, evidence)
    }).catch((error: unknown) => this.#log.warn({ err: error, botId }, 'dropped reports could not be noted'))
  }
}

type Writers = { readonly [Kind in Report['kind']]: (deps: ReportDeps, report: Extract<Report, { kind: Kind }>) => Promise<unknown> }

const WRITERS: Writers = {
  async moved(deps, { botId: bot, by, fence, at, message, reason }) {
    const move = { bot, fence, at: new Date(at), message, ...(reason && { reason }) }
    if (by === 'admitted') await deps.successions.takeOver({ botId: bot, fence })
    const status = (await transition(deps, { ...move, by })) ?? (await endReturn(deps, { ...move, by }))
    if (status) await noteAccount(deps.db, bot, { by, reason, message })
    if (by === 'admitted') await returnBot(deps, { botId: bot, fence }, move.at)
  },
  recording: (deps, { botId: bot, fence, at }) => addStage(deps, { bot, fence, stage: 'Recording', at: new Date(at) }),
  people: ({ live }, report) => live.people(report, report.roster),
  chat: ({ live }, report) => live.chat(report, report.message),
  words_failed: (deps, { botId: bot, fence, message, at }) =>
    atomically(deps, async (inside) => {
      if (!(await lockClaim(inside.db, { botId: bot, fence }))) return
      const evidence = { at: new Date(at).toISOString(), step: LIVE_PROVIDER_STEP, message, pageText: null, screenshot: null }
      await addEvidence(inside.db, bot, evidence)
      await announceEvent(inside, { bot, announcement: LIVE_WORDS_FAILED, message, at: new Date(at) })
    }),
  async measured({ observe }, { botId, lostFrames, liveAudioMs, liveWordsMs }) {
    observe?.({ kind: 'measured', botId, lostFrames, liveAudioMs, liveWordsMs })
  },
  paused: ({ db }, report) => notePause(db, report, report),
  greeted: ({ db }, report) => noteGreeted(db, report, new Date(report.at)),
  screenshot: (deps, { botId, fence, file, at }) => storeScreenshot(deps, { botId, fence, file, at: new Date(at) }),
  async failed(deps, { botId, fence, step, message, code, pageText, pageLog = [], screenshot: file, at: moment }) {
    const at = new Date(moment)
    const screenshot = file && (await storeScreenshot(deps, { botId, fence, file, at }))
    await inTransaction(deps.db, async (tx) => {
      if (await lockClaim(tx, { botId, fence }))
        await addEvidence(tx, botId, { at: at.toISOString(), step, message, ...(code && { code }), pageText, pageLog, screenshot })
    })
  },
  async finished(deps, claim) {
    deps.live.ended(claim.botId)
    await inTransaction(deps.db, async (tx) => {
      if (await lockClaim(tx, claim)) await closeRoster(tx, claim.botId, new Date())
    })
    await deps.successions.end(claim)
    await deps.collectRecording(claim.botId)
  },
  async lost(deps, { botId, fence, reason, at }) {
    deps.live.ended(botId)
    await deps.successions.end({ botId, fence })
    await loseBot(deps, { botId, fence }, { reason, from: new Date(at) })
    deps.onDue()
  },
}

const NOT_BACK_IN: Partial<Record<Trigger, Trigger>> = { join_blocked: 'left', join_failed: 'failed' }

/** A bot that was in the meeting and is refused when it returns has left: the lifecycle table has no blocked join from there. */
async function endReturn(deps: ReportDeps, { by, message, ...move }: Parameters<typeof transition>[1]): ReturnType<typeof transition> {
  const end = NOT_BACK_IN[by]
  if (!end) return null
  const sentence = `The bot could not rejoin: ${message ?? 'the meeting refused it'}`
  return atomically(deps, async (inside) => {
    const leaves = await transition(inside, { ...move, by: 'leaving', message: sentence })
    return leaves && transition(inside, { ...move, by: end, message: sentence })
  })
}

function writeReport<Kind extends Report['kind']>(deps: ReportDeps, report: Extract<Report, { kind: Kind }>): Promise<unknown> {
  return WRITERS[report.kind as Kind](deps, report)
}
