// Questions to a host, and the answers that come back by the question's id.
import type { FromHost } from '../../domain/protocol.ts'
import { newId } from '../../kit/id.ts'

export type HostAnswer = Extract<FromHost, { kind: 'performed' | 'glanced' }>

export class HostQuestions {
  readonly #waiting = new Map<string, (answer: HostAnswer) => void>()

  /** Null: no answer came in time. */
  async ask<Kind extends HostAnswer['kind']>(
    kind: Kind,
    send: (requestId: string) => void,
    withinMs: number,
  ): Promise<Extract<HostAnswer, { kind: Kind }> | null> {
    const requestId = newId('cmd', new Date())
    const answer = await new Promise<HostAnswer | null>((resolve) => {
      this.#waiting.set(requestId, resolve)
      setTimeout(() => resolve(null), withinMs).unref()
      send(requestId)
    })
    this.#waiting.delete(requestId)
    return answer?.kind === kind ? (answer as Extract<HostAnswer, { kind: Kind }>) : null
  }

  receive(answer: HostAnswer): void {
    this.#waiting.get(answer.requestId)?.(answer)
  }
}
