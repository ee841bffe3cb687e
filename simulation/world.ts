// A simulated world: one virtual clock, and processes that crash, stop and go on. Everything happens in the order of one event queue.
import { AsyncLocalStorage } from 'node:async_hooks'
import { EventQueue, type QueuedEvent } from './event-queue.ts'
import { type Random, randomFrom } from './random.ts'
import { Trace } from './trace.ts'

/** A process of a simulated machine: its timers and its answers are events, which wait while it is stopped and vanish when it is killed. */
export class Process {
  readonly name: string
  readonly world: World
  readonly machine: Machine
  /** Timers fire up to this much late, as on a busy machine. */
  lateMs = 0
  stoppedUntilMs = 0
  isDead = false

  constructor(name: string, machine: Machine) {
    this.name = name
    this.machine = machine
    this.world = machine.world
  }

  get isStopped(): boolean {
    return this.stoppedUntilMs > this.world.nowMs
  }
}

/** All processes of a machine share its clocks. */
export class Machine {
  readonly name: string
  readonly world: World
  /** How far the wall clock is ahead. */
  skewMs = 0
  /** Monotonic clocks of two machines have nothing in common. */
  readonly bootedMs: number

  constructor(name: string, world: World) {
    this.name = name
    this.world = world
    this.bootedMs = Math.floor(world.randomOf('booted', name)() * 1e9)
  }

  monotonicMs(): number {
    return this.bootedMs + this.world.nowMs
  }
}

/** The process that runs, and the fence of the report that it handles. */
export type Context = { readonly process: Process; readonly fence?: number }

export const running = new AsyncLocalStorage<Context>()

export type WorldEvent = QueuedEvent & { readonly context: Context | null; readonly run: () => void | Promise<void> }

const EPOCH_MS = Date.UTC(2026, 0, 1)
const { setImmediate: realImmediate } = globalThis

export class World {
  readonly seed: number
  readonly trace = new Trace()
  nowMs = 0
  /** The first rule that was broken, with details; null: all hold. */
  violation: string | null = null
  readonly #queue = new EventQueue<WorldEvent>()
  /** Work that goes on outside of the clock, oldest first. It changes nothing in the world before `untilMs`. */
  readonly #background: { readonly work: Promise<void>; readonly untilMs: number }[] = []
  #order = 0

  constructor(seed: number) {
    this.seed = seed
  }

  randomOf(...purpose: readonly (string | number)[]): Random {
    return randomFrom(this.seed, ...purpose)
  }

  wallClock(skewMs = 0): Date {
    return new Date(EPOCH_MS + this.nowMs + skewMs)
  }

  /** `context`: null for what happens outside every process, such as in the network. */
  after(delayMs: number, context: Context | null, run: WorldEvent['run']): WorldEvent {
    return this.#push(this.nowMs + Math.max(0, delayMs), context, run)
  }

  /** The clock goes on during the work, for `forMs` at most. */
  inBackground(work: Promise<void>, forMs: number): void {
    this.#background.push({ work, untilMs: this.nowMs + forMs })
  }

  async endBackground(): Promise<void> {
    await Promise.all(this.#background.map(({ work }) => work))
    this.#background.length = 0
  }

  note(who: string, what: string): void {
    this.trace.add(this.nowMs, who, what)
  }

  fail(sentence: string): void {
    this.violation ??= sentence
    this.note('CHECK', sentence)
  }

  /** Runs events until the condition holds, a check fails or nothing is left to happen. */
  async run(until: () => boolean): Promise<void> {
    while (!until() && this.violation === null) {
      const event = await this.#next()
      if (!event) break
      this.nowMs = Math.max(this.nowMs, event.atMs)
      await this.#happen(event)
    }
    await this.endBackground()
  }

  async #next(): Promise<WorldEvent | undefined> {
    for (;;) {
      const [oldest] = this.#background
      const event = this.#queue.peek()
      if (!oldest || (event && event.atMs < oldest.untilMs)) return this.#queue.pop()
      await oldest.work
      this.#background.shift()
    }
  }

  async #happen({ context, run }: WorldEvent): Promise<void> {
    const process = context?.process
    if (process?.isDead) return
    if (process?.isStopped) {
      this.#push(process.stoppedUntilMs, context, run)
      return
    }
    await (context ? running.run(context, run) : run())
    // The continuations of what has happened are microtasks: all of them run before this one.
    await new Promise((resolve) => realImmediate(resolve))
  }

  #push(atMs: number, context: Context | null, run: WorldEvent['run']): WorldEvent {
    this.#order += 1
    const event = { atMs, order: this.#order, isCancelled: false, context, run }
    this.#queue.push(event)
    return event
  }
}
