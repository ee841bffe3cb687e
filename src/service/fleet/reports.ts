// Writes the reports of hosts, in order for each bot and fenced by the claim of the report.
import { setTimeout as delay } from 'node:timers/promises'
import { LIVE_WORDS_FAILED } from '../../domain/announcements.ts'
import type { BotId } from '../../domain/bot.ts'
import type { Trigger } from '../../domain/lifecycle.ts'
import type { Logger } from '../../kit/log.ts'
import type { ObjectStore } from '../../storage/store.ts'
import { addEvidence, noteGreeted } from '../db/bots.ts'
import { type Claim, lockClaim } from '../db/claims.ts'
import { inTransaction } from '../db/database.ts'
import { closeRoster } from '../db/meetings.ts'
import { LIVE_PROVIDER_STEP } from '../db/transcriptions.ts'
import type { LiveEvents } from '../delivery/live-events.ts'
import { noteAccount } from './account.ts'
import type { Report } from './hosts.ts'
import { loseBot, returnBot } from './lose.ts'
import { storeScreenshot } from './screenshots.ts'
import { announceEvent, atomically, type FleetDeps, note, transition } from './transition.ts'

export type ReportDeps = FleetDeps & {
  readonly store: ObjectStore
  readonly live: LiveEvents
  /** Called when the bot's session on this node has ended. */
  readonly collectRecording: (botId: BotId) => Promise<void>
}

/** A failed write is retried for about a minute. By then its claim has long lapsed. */
const PAUSES_MS = [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000]

type Pending = Claim & { readonly done: Promise<void> }

export class Reports {
  readonly #deps: ReportDeps
  readonly #log: Logger
  readonly #last = new Map<BotId, Pending>()
  readonly #stopping = new AbortController()

  constructor(deps: ReportDeps, log: Logger) {
    this.#deps = deps
    this.#log = log
  }

  add(report: Report): void {
    const { botId, fence } = report
    const before = this.#last.get(botId)?.done ?? Promise.resolve()
    const pending: Pending = { botId, fence, done: before.then(() => this.#write(report)) }
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

  async #write(report: Report): Promise<void> {
    const { kind, botId } = report
    for (const pauseMs of [...PAUSES_MS, null]) {
      try {
        await writeReport(this.#deps, report)
        return
      } catch (error) {
        const isLast = pauseMs === null || this.#stopping.signal.aborted
        this.#log[isLast ? 'error' : 'warn']({ err: error, botId, report: kind, isLast }, 'report could not be written')
        if (isLast) return
        // An abort ends the pause.
        await delay(pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined)
      }
    }
  }
}

type Writers = { readonly [Kind in Report['kind']]: (deps: ReportDeps, report: Extract<Report, { kind: Kind }>) => Promise<unknown> }

const WRITERS: Writers = {
  async moved(deps, { botId: bot, by, fence, at, message, reason }) {
    const move = { bot, fence, at: new Date(at), message, ...(reason && { reason }) }
    const status = (await transition(deps, { ...move, by })) ?? (await endReturn(deps, { ...move, by }))
    if (status) await noteAccount(deps.db, bot, { by, reason, message })
    if (by === 'admitted') await returnBot(deps, { botId: bot, fence }, move.at)
  },
  recording: (deps, { botId: bot, fence, at }) => note(deps, { bot, fence, stage: 'Recording', at: new Date(at) }),
  people: ({ live }, report) => live.people(report, report.roster),
  chat: ({ live }, report) => live.chat(report, report.message),
  words_failed: (deps, { botId: bot, fence, message, at }) =>
    atomically(deps, async (inside) => {
      if (!(await lockClaim(inside.db, { botId: bot, fence }))) return
      const evidence = { at: new Date(at).toISOString(), step: LIVE_PROVIDER_STEP, message, pageText: null, screenshot: null }
      await addEvidence(inside.db, bot, evidence)
      await announceEvent(inside, { bot, announcement: LIVE_WORDS_FAILED, message, at: new Date(at), extra: {} })
    }),
  async measured({ observe }, { botId, lostFrames, liveAudioMs, liveWordsMs }) {
    observe?.({ kind: 'measured', botId, lostFrames, liveAudioMs, liveWordsMs })
  },
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
    await deps.collectRecording(claim.botId)
  },
  async lost(deps, { botId, fence, reason, at }) {
    deps.live.ended(botId)
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
