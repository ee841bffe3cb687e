// Waits with a deadline, and seeded random choice.
import { setTimeout as delay } from 'node:timers/promises'

const ASK_EVERY_MS = 50

/** Whether the condition held in time. A probe that throws counts as "not yet". */
export async function holdsWithin(probe: () => boolean | Promise<boolean>, withinMs: number): Promise<boolean> {
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
  if (!(await holdsWithin(probe, withinMs))) throw new Error(`bench: waited ${withinMs / 1_000} s without success until ${what}`)
}

export function oneOf<Item>(items: readonly Item[], random: () => number, what: string): Item {
  const item = items[Math.floor(random() * items.length)]
  if (item === undefined) throw new Error(`bench: there is no ${what} to kill`)
  return item
}
