// Waits with a deadline, and chance that is the same on every run with the same seed.
import { setTimeout as delay } from 'node:timers/promises'

const ASK_EVERY_MS = 50

/** Whether it came true in time. A probe that fails counts as not yet. */
export async function cameTrue(probe: () => boolean | Promise<boolean>, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs
  do {
    if (
      await Promise.resolve()
        .then(probe)
        .catch(() => false)
    )
      return true
    await delay(ASK_EVERY_MS)
  } while (performance.now() < deadline)
  return false
}

export async function required(what: string, probe: () => boolean | Promise<boolean>, withinMs: number): Promise<void> {
  if (!(await cameTrue(probe, withinMs))) throw new Error(`bench: waited ${withinMs / 1_000} s in vain until ${what}`)
}

export function oneOf<Item>(items: readonly Item[], random: () => number, what: string): Item {
  const item = items[Math.floor(random() * items.length)]
  if (item === undefined) throw new Error(`bench: there is no ${what} to strike`)
  return item
}
