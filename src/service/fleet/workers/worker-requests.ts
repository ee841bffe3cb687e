// Requests to a worker, and its answers, matched by request id.
import { COMMAND_KEPT_MS, type CommandProblem, type FromWorker, isAnswer, unreachable } from '../../../domain/protocol.ts'
import { newId } from '../../../kit/id.ts'
import { monotonicMs } from '../../../kit/monotonic.ts'
import { createOncePerKey } from '../../../kit/once-per-key.ts'

export type WorkerAnswer = Extract<FromWorker, { kind: 'performed' | 'glanced' }>

/** How long a bot has to answer, by the kind of its answer. */
export const ANSWER_WITHIN_MS: Readonly<Record<WorkerAnswer['kind'], number>> = { performed: 5_000, glanced: 1_000 }

export class WorkerRequests {
  readonly #pending = new Map<string, (answer: WorkerAnswer) => void>()
  /** Answers outlive a worker: a bot that rejoins here does not repeat a command. */
  readonly #performed = createOncePerKey<CommandProblem | null>({ forMs: COMMAND_KEPT_MS, nowMs: monotonicMs, isKept: isAnswer })

  /** Sends a command once. `send` is null if no worker has the bot. Null: the bot has executed it, now or before under the same key. */
  perform(key: string, send: ((requestId: string) => void) | null): Promise<CommandProblem | null> {
    return this.#performed(key, async () => {
      if (!send) return unreachable('No worker of this node has the bot')
      const answer = await this.send('performed', send)
      return answer ? answer.problem : unreachable('The bot did not confirm in time')
    })
  }

  /** Null: no answer arrived in time. */
  async send<Kind extends WorkerAnswer['kind']>(
    kind: Kind,
    send: (requestId: string) => void,
  ): Promise<Extract<WorkerAnswer, { kind: Kind }> | null> {
    const requestId = newId('cmd', new Date())
    const answer = await new Promise<WorkerAnswer | null>((resolve) => {
      this.#pending.set(requestId, resolve)
      setTimeout(() => resolve(null), ANSWER_WITHIN_MS[kind]).unref()
      send(requestId)
    })
    this.#pending.delete(requestId)
    return answer?.kind === kind ? (answer as Extract<WorkerAnswer, { kind: Kind }>) : null
  }

  receive(answer: WorkerAnswer): void {
    this.#pending.get(answer.requestId)?.(answer)
  }
}
