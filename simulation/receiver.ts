// Webhook receivers: each bot's events arrive in order, again if an answer was lost, and never ahead of their turn.
import { type HttpClient, NetworkError } from '../src/kit/http-client.ts'
import { between, type Random } from './random.ts'
import { type Process, running, type World } from './world.ts'

/** A request or an answer is lost by `chance`, until `untilMs`: an event that is lost four times waits ten minutes for its next attempt. */
type Losses = { readonly chance: number; readonly untilMs: number }

type Answer = Awaited<ReturnType<HttpClient['post']>>

export class Receiver {
  readonly #world: World
  readonly #losses: Losses
  /** The ids of each bot's events, as they arrived. */
  readonly arrivals = new Map<string, string[]>()
  cutUntilMs = 0

  constructor(world: World, losses: Losses) {
    this.#world = world
    this.#losses = losses
  }

  /** Only `post` is used by deliveries. */
  clientFor(process: Process): HttpClient {
    const random = this.#world.randomOf('receiver', process.name)
    const post: HttpClient['post'] = (_url, { body, timeoutMs = 5_000 }) => this.#post(random, String(body), timeoutMs)
    return { post } as HttpClient
  }

  #post(random: Random, body: string, timeoutMs: number): Promise<Answer> {
    const context = running.getStore() ?? null
    const world = this.#world
    const startedMs = world.nowMs
    return new Promise((resolve, reject) => {
      let isOver = false
      const limit = world.after(timeoutMs, context, () => {
        isOver = true
        reject(new NetworkError('timeout', 'The receiver did not answer.'))
      })
      const { chance, untilMs } = this.#losses
      const isLost = (): boolean => this.cutUntilMs > world.nowMs || (random() < chance && world.nowMs < untilMs)
      world.after(delay(random), null, () => {
        if (isOver || isLost()) return
        this.#receive(body)
        if (isLost()) return
        world.after(delay(random), context, () => {
          limit.isCancelled = true
          resolve({ status: 200, head: '', durationMs: world.nowMs - startedMs })
        })
      })
    })
  }

  #receive(body: string): void {
    const { bot_id: bot, event_id: id, event } = JSON.parse(body) as Record<'bot_id' | 'event_id' | 'event', string>
    this.#world.note('receiver', `${bot} ${event} ${id}`)
    const arrived = this.arrivals.get(bot) ?? []
    arrived.push(id)
    this.arrivals.set(bot, arrived)
  }
}

/** A slow receiver takes seconds, but less than the time limit. */
function delay(random: Random): number {
  return random() < 0.05 ? between(random, 100, 2_000) : between(random, 1, 40)
}
