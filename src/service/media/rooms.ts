// The breakout rooms of a recording: when the bot was in which one.
import type { Manifest } from '../../domain/recording.ts'
import type { Span } from './span.ts'

export type RoomSpan = Span & { readonly name: string }

/** A bot that rejoins reports its room again, so a gap ends the stay in a room. */
export function roomsOf({ facts }: Manifest, totalMs: number): readonly RoomSpan[] {
  const rooms: RoomSpan[] = []
  let open: Omit<RoomSpan, 'toMs'> | null = null
  const close = (toMs: number): void => {
    if (open && toMs > open.fromMs) rooms.push({ ...open, toMs })
    open = null
  }
  for (const fact of facts) {
    if (fact.fact === 'gap') close(fact.fromMs)
    if (fact.fact !== 'room') continue
    close(fact.atMs)
    if (fact.name !== '') open = { name: fact.name, fromMs: fact.atMs }
  }
  close(totalMs)
  return rooms
}

/** The room of the longest part of this time; null: the main meeting. A move is known only by the second. */
export function roomIn(rooms: readonly RoomSpan[], { fromMs, toMs }: Span): string | null {
  const stays = rooms.map((it) => ({ name: it.name, ms: Math.min(toMs, it.toMs) - Math.max(fromMs, it.fromMs) })).filter(({ ms }) => ms > 0)
  const main = { name: null, ms: toMs - fromMs - stays.reduce((sum, { ms }) => sum + ms, 0) }
  return [main, ...stays].reduce((longest, it) => (it.ms > longest.ms ? it : longest)).name
}
