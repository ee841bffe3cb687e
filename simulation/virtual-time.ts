// Replaces the clocks, timers and random bytes of this program. In a simulated process they are those of its world; elsewhere they stay real.
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import timersPromises from 'node:timers/promises'
import { newId } from '../src/kit/id.ts'
import type { Random } from './random.ts'
import { type Context, running, type WorldEvent } from './world.ts'

const real = {
  Date: globalThis.Date,
  setTimeout: globalThis.setTimeout,
  setInterval: globalThis.setInterval,
  clearTimeout: globalThis.clearTimeout,
  performanceNow: performance.now.bind(performance),
  hrtime: process.hrtime.bigint.bind(process.hrtime),
  delay: timersPromises.setTimeout,
}

type Callback = (...args: unknown[]) => void

/** What setTimeout returns in a simulated process. */
class VirtualTimer {
  event: WorldEvent | null = null

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  hasRef(): boolean {
    return true
  }
}

function startTimer(context: Context, delayMs: number, isRepeated: boolean, callback: () => void): VirtualTimer {
  const timer = new VirtualTimer()
  const { process } = context
  const { world } = process
  const arm = (): void => {
    const late = process.lateMs > 0 ? randomOf(context)() * process.lateMs : 0
    timer.event = world.after(Math.max(1, delayMs) + late, context, () => {
      if (isRepeated) arm()
      callback()
    })
  }
  arm()
  return timer
}

/** `setTimeout` of node:timers/promises. */
async function delay<Value>(delayMs = 0, value?: Value, options: { readonly signal?: AbortSignal } = {}): Promise<Value | undefined> {
  const context = running.getStore()
  if (!context) return real.delay(delayMs, value, options)
  const { signal } = options
  signal?.throwIfAborted()
  return new Promise((resolve, reject) => {
    const timer = startTimer(context, delayMs, false, () => resolve(value))
    signal?.addEventListener('abort', () => {
      if (timer.event) timer.event.isCancelled = true
      reject(new DOMException('The operation was aborted', 'AbortError'))
    })
  })
}

const randoms = new WeakMap<Context['process'], Random>()

function randomOf({ process }: Context): Random {
  const random = randoms.get(process) ?? process.world.randomOf('timers', process.name)
  randoms.set(process, random)
  return random
}

let refilled = false
let idBytes: Random = Math.random

/** Call once, before any world runs. */
export function installVirtualTime(): void {
  const wallMs = (): number | undefined => {
    const machine = running.getStore()?.process.machine
    return machine?.world.wallClock(machine.skewMs).getTime()
  }
  class VirtualDate extends real.Date {
    // biome-ignore lint/suspicious/noExplicitAny: Date has seven overloads.
    constructor(...args: any[]) {
      const now = args.length === 0 ? wallMs() : undefined
      super(...((now === undefined ? args : [now]) as []))
    }

    static override now(): number {
      return wallMs() ?? real.Date.now()
    }
  }
  const startVirtual =
    (isRepeated: boolean, original: typeof setTimeout | typeof setInterval) =>
    (callback: Callback, delayMs = 0, ...args: unknown[]): unknown => {
      const context = running.getStore()
      if (!context) return original(callback, delayMs, ...args)
      return startTimer(context, delayMs, isRepeated, () => callback(...args))
    }
  const clear = (timer: unknown): void => {
    if (!(timer instanceof VirtualTimer)) real.clearTimeout(timer as NodeJS.Timeout)
    else if (timer.event) timer.event.isCancelled = true
  }
  Object.assign(globalThis, {
    Date: VirtualDate,
    setTimeout: Object.assign(startVirtual(false, real.setTimeout), real.setTimeout),
    setInterval: startVirtual(true, real.setInterval),
    clearTimeout: clear,
    clearInterval: clear,
  })
  performance.now = () => running.getStore()?.process.machine.monotonicMs() ?? real.performanceNow()
  process.hrtime.bigint = () => {
    const machine = running.getStore()?.process.machine
    return machine ? BigInt(Math.round(machine.monotonicMs() * 1e6)) : real.hrtime()
  }
  timersPromises.setTimeout = delay as typeof timersPromises.setTimeout
  crypto.randomFillSync = ((bytes: Buffer) => {
    refilled = true
    for (let place = 0; place < bytes.length; place++) bytes[place] = Math.floor(idBytes() * 256)
    return bytes
  }) as typeof crypto.randomFillSync
  syncBuiltinESMExports()
}

/** From here on ids are those of the seed. Ids are cut from a buffer of random bytes: the rest of the buffer is used up first. */
export function seedIds(random: Random): void {
  idBytes = random
  refilled = false
  while (!refilled) newId('seed', new real.Date(0))
}

export function realMs(): number {
  return real.performanceNow()
}

export function realDelay(ms: number): Promise<'late'> {
  return new Promise((resolve) => real.setTimeout(resolve, ms, 'late'))
}
