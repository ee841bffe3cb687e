// Requests to a host, and its answers, matched by request id.
import type { FromHost } from '../../domain/protocol.ts'
import { newId } from '../../kit/id.ts'

export type HostAnswer = Extract<FromHost, { kind: 'performed' | 'glanced' }>

/** How long a bot has to answer, by the kind of its answer. */
export const ANSWER_WITHIN_MS: Readonly<Record<HostAnswer['kind'], number>> = { performed: 5_000, glanced: 1_000 }

export class HostRequests {
  readonly #pending = new Map<string, (answer: HostAnswer) => void>()

  /** Null: no answer arrived in time. */
  async send<Kind extends HostAnswer['kind']>(
    kind: Kind,
    send: (requestId: string) => void,
  ): Promise<Extract<HostAnswer, { kind: Kind }> | null> {
    const requestId = newId('cmd', new Date())
    const answer = await new Promise<HostAnswer | null>((resolve) => {
      this.#pending.set(requestId, resolve)
      setTimeout(() => resolve(null), ANSWER_WITHIN_MS[kind]).unref()
      send(requestId)
    })
    this.#pending.delete(requestId)
    return answer?.kind === kind ? (answer as Extract<HostAnswer, { kind: Kind }>) : null
  }

  receive(answer: HostAnswer): void {
    this.#pending.get(answer.requestId)?.(answer)
  }
}
