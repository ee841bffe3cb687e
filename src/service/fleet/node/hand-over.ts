// Hands the bots of a draining node over, one at a time: another node joins beside this one, and the session here leaves when that one is in.
import { setTimeout as delay } from 'node:timers/promises'
import type { BotId } from '../../../domain/bot.ts'
import type { HttpClient } from '../../../kit/http-client.ts'
import type { Logger } from '../../../kit/log.ts'
import { monotonicMs } from '../../../kit/monotonic.ts'
import type { Db } from '../../db/database.ts'
import type { Claim } from '../../db/fleet/claims.ts'
import type { NodeAddress } from '../../db/fleet/nodes.ts'
import { successionOf, successors } from '../../db/fleet/successions.ts'
import type { Workers } from '../workers/workers.ts'
import type { NodeAnswer, NodeRequest } from './bot-requests.ts'
import { SUCCEED_WITHIN_MS } from './successions.ts'

const LOOK_EVERY_MS = 250
/** A node may get a free seat. */
const ASK_AGAIN_AFTER_MS = 5_000
/** The recordings of both sessions overlap by this: the later one begins with a key frame, which its sender makes within that time. */
const OVERLAP_MS = 1_500
const LEAVE_WITHIN_MS = 20_000
/** The other node reads the manifests of the recording before it answers. */
const ANSWER_WITHIN_MS = 15_000
const MOST_ANSWER_BYTES = 10_000

/** Asks another node to join beside this one. False: it does not. */
export type AskSuccessor = (node: NodeAddress, claim: Claim) => Promise<boolean>

export function askSuccessorBy(http: Pick<HttpClient, 'request'>): AskSuccessor {
  return async ({ address, key }, { botId, fence }) => {
    const headers = { authorization: `Node ${key}`, 'content-type': 'application/json' }
    const request: NodeRequest = { kind: 'succeed', fence }
    const exchange = { headers, body: JSON.stringify(request), timeoutMs: ANSWER_WITHIN_MS, maxBytes: MOST_ANSWER_BYTES }
    const { status, body } = await http.request(`${address}/internal/v1/bots/${botId}`, exchange)
    return status === 200 && (JSON.parse(body.toString()) as NodeAnswer).succeeds === true
  }
}

export type HandOverDeps = {
  readonly db: Db
  readonly log: Logger
  readonly nodeId: string
  readonly ask: AskSuccessor
  readonly workers: Pick<Workers, 'bots' | 'has' | 'expect' | 'leave' | 'evict'>
}

/** `untilMs`: on the monotonic clock. */
export type HandOverLimits = { readonly untilMs: number; readonly interrupted: AbortSignal }

export class HandOver {
  readonly #deps: HandOverDeps
  /** The bot that is handed over at this moment. Its session here leaves only after an overlap. */
  #current: BotId | null = null

  constructor(deps: HandOverDeps) {
    this.#deps = deps
  }

  isHandingOver(botId: BotId): boolean {
    return this.#current === botId
  }

  /** Resolves when no bot is left that another node may succeed, or at the limit. */
  async inTurn(limits: HandOverLimits): Promise<void> {
    const tried = new Set<BotId>()
    while (!isOver(limits)) {
      const next = this.#deps.workers.bots().filter(({ botId }) => !tried.has(botId))
      if (next.length === 0) return
      for (const claim of next) if (!isOver(limits) && (await this.#one(claim, limits)) !== 'refused') tried.add(claim.botId)
      if (next.every(({ botId }) => !tried.has(botId))) await pause(Math.min(ASK_AGAIN_AFTER_MS, limits.untilMs - monotonicMs()), limits)
    }
  }

  /** `refused`: no other node joins at this moment. */
  async #one(claim: Claim, limits: HandOverLimits): Promise<'refused' | 'tried'> {
    const { log, workers } = this.#deps
    this.#current = claim.botId
    try {
      if (!(await this.#isSucceeded(claim, limits))) return 'refused'
      const outcome = await this.#outcome(claim, limits)
      log.info({ botId: claim.botId, outcome }, 'another node has joined beside a bot')
      if (outcome !== 'taken') return 'tried'
      await pause(OVERLAP_MS, limits)
      if (!(await workers.leave(claim.botId, 'Another node has taken the bot over', LEAVE_WITHIN_MS))) workers.evict(claim.botId)
    } catch (error) {
      log.warn({ err: error, botId: claim.botId }, 'a bot could not be handed over to a successor')
    } finally {
      this.#current = null
    }
    return 'tried'
  }

  /** Another node joins beside the session here. */
  async #isSucceeded(claim: Claim, limits: HandOverLimits): Promise<boolean> {
    const { db, log, nodeId, ask, workers } = this.#deps
    for (const node of await successors(db, nodeId)) {
      // Nodes that hang may use up the time of the drain.
      if (isOver(limits)) return false
      workers.expect(claim.botId)
      const joins = await ask(node, claim).catch((error: unknown) => {
        log.warn({ err: error, node: node.id }, 'another node did not answer whether it succeeds')
        return false
      })
      if (joins) return true
    }
    return false
  }

  async #outcome(claim: Claim, limits: HandOverLimits): Promise<'pending' | 'taken' | 'over'> {
    const untilMs = Math.min(limits.untilMs, monotonicMs() + SUCCEED_WITHIN_MS)
    while (monotonicMs() < untilMs && !limits.interrupted.aborted && this.#deps.workers.has(claim.botId, claim.fence)) {
      const state = await successionOf(this.#deps.db, claim)
      if (state !== 'pending') return state
      await pause(LOOK_EVERY_MS, limits)
    }
    return 'pending'
  }
}

function isOver({ untilMs, interrupted }: HandOverLimits): boolean {
  return interrupted.aborted || monotonicMs() >= untilMs
}

/** An interruption ends it. */
async function pause(ms: number, { interrupted }: HandOverLimits): Promise<void> {
  await delay(ms, undefined, { signal: interrupted }).catch(() => undefined)
}
