// Schedules work on the engine: final results in order, and interim results only while no final result is queued.
import { createSerialQueue } from '../../kit/serial-queue.ts'

/** Rest after an interim result, as a multiple of its duration: 1 limits interim results to half of the engine's time. */
const INTERIM_REST = 1

export class EngineQueue {
  /** Streams that want an interim result, the longest waiting first. */
  readonly #wantInterim = new Set<object>()
  #noInterimUntilMs = 0
  readonly #serially = createSerialQueue()
  #jobs = 0
  #finalJobs = 0
  #interim: AbortController | null = null

  get isBusy(): boolean {
    return this.#jobs > 0
  }

  /** True while a final result is queued or running. */
  get hasFinalWork(): boolean {
    return this.#finalJobs > 0
  }

  /** Runs after all earlier work. Aborts a running interim result. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#interim?.abort()
    this.#finalJobs++
    return this.#enqueue(work).finally(() => this.#finalJobs--)
  }

  /**
   * Runs only if the engine is free and no other stream has waited longer. Otherwise returns null and keeps the stream's place. `work`
   * must stop early when its signal aborts.
   */
  tryInterim(stream: object, work: (signal: AbortSignal) => Promise<void>): Promise<void> | null {
    this.#wantInterim.add(stream)
    const [first] = this.#wantInterim
    if (this.isBusy || first !== stream || performance.now() < this.#noInterimUntilMs) return null
    this.#wantInterim.delete(stream)
    return this.#runInterim(work)
  }

  withdrawInterim(stream: object): void {
    this.#wantInterim.delete(stream)
  }

  async #runInterim(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const controller = new AbortController()
    this.#interim = controller
    const began = performance.now()
    await this.#enqueue(() => work(controller.signal)).finally(() => {
      const now = performance.now()
      this.#noInterimUntilMs = now + (now - began) * INTERIM_REST
    })
    this.#interim = null
  }

  #enqueue<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#jobs++
    return this.#serially(work).finally(() => this.#jobs--)
  }
}
