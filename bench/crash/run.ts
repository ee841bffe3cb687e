// One service, faults of some kinds, one after the other: each at a random moment under load, and followed by a wait for recovery.
import { setTimeout as delay } from 'node:timers/promises'
import { RoomBots, type SeatedBot } from './bots.ts'
import { FAULTS, type Kind, strike } from './faults.ts'
import { type Kept, keptOf } from './kept.ts'
import { Load, type Receipts } from './load.ts'
import type { Span } from './media.ts'
import { isServing, type Subject } from './subject.ts'
import type { CrashVenue, WatchedRoom } from './venue.ts'

/** A fault comes so long after all is well. */
const MOMENT_MS = { least: 500, most: 4_000 }
/** So much of the time before a fault is looked at. */
const BEFORE_MS = 10_000
/** The consequences of a lease that was not renewed show after it has ended. */
const AFTERMATH_MS = 12_000
/** A service that does not recover is not struck again and again. */
const MOST_FAILURES = 2
/** A recording begins a moment after its bot is in. */
const BEGUN_MS = 2_000

export type Judged = {
  readonly kind: Kind
  readonly recovered: boolean
  /** Bots whose session ended, and for those that came back milliseconds after the fault had ended. */
  readonly ended: number
  readonly backMs: readonly number[]
  /** Of the bot that has lost most, in milliseconds: from before the fault, and from after its return. */
  readonly lostBeforeMs: number
  readonly lostAfterMs: number
}

export type Round = {
  readonly faults: readonly Judged[]
  /** How often a bot of the round came to its room again. */
  readonly rejoins: number
  readonly kept: Kept
  readonly doubles: number
  readonly deaths: number
  readonly unanswered: number
}

type Scene = { readonly subject: Subject; readonly venue: CrashVenue; readonly receipts: Receipts; readonly random: () => number }

/** All faults of one kind. */
export async function runFaults(scene: Scene, kind: Kind, count: number): Promise<Round> {
  const { subject, venue, receipts } = scene
  const bots = new RoomBots(subject, venue.rooms, receipts, kind)
  const load = new Load(subject, receipts.url)
  const [doublesBefore, deathsBefore] = [doublesIn(venue.rooms), subject.deaths()]
  const faults: Judged[] = []
  try {
    while (faults.length < count) {
      const judged = failures(faults) < MOST_FAILURES ? await oneFault(scene, bots, kind).catch(unrecovered(kind)) : unrecovered(kind)()
      faults.push(judged)
      tell(`${kind} ${faults.length} of ${count}`, judged)
      if (!judged.recovered) await bots.dismissAll()
    }
    if (FAULTS[kind].session !== 'ends') await delay(AFTERMATH_MS)
  } finally {
    load.stop()
  }
  const rejoins = bots.rejoins()
  await bots.dismissAll()
  const kept = await keptOf(subject, [...load.acknowledged(), ...bots.acknowledged], receipts)
  const [doubles, deaths] = [doublesIn(venue.rooms) - doublesBefore, subject.deaths() - deathsBefore]
  return { faults, rejoins, kept, doubles, deaths, unanswered: load.unanswered() }
}

export function failures(faults: readonly Judged[]): number {
  return faults.filter(({ recovered }) => !recovered).length
}

function unrecovered(kind: Kind): (error?: unknown) => Judged {
  return (error) => {
    if (error) console.error(error)
    return { kind, recovered: false, ended: 0, backMs: [], lostBeforeMs: 0, lostAfterMs: 0 }
  }
}

async function oneFault({ subject, random }: Scene, bots: RoomBots, kind: Kind): Promise<Judged> {
  await isServing(subject)
  await bots.refresh()
  if (!(await bots.settled(Date.now()))) throw new Error(`bench: the bots were not in their rooms before a fault of ${kind}`)
  await delay(MOMENT_MS.least + random() * (MOMENT_MS.most - MOMENT_MS.least))
  subject.remains.look(subject.pid())
  const before = sessionsOf(bots)
  const fault = await strike(kind, subject, random)
  const recovered = await bots.settled(fault.to)
  const judged = bots.seated().map((bot) => judge(bots, bot, fault, before.get(bot) ?? 0))
  return {
    kind,
    recovered,
    ended: judged.filter(({ ended }) => ended).length,
    backMs: judged.flatMap(({ backMs }) => backMs ?? []),
    lostBeforeMs: Math.max(...judged.map((it) => it.lostBeforeMs)),
    lostAfterMs: Math.max(...judged.map((it) => it.lostAfterMs)),
  }
}

function judge(bots: RoomBots, bot: SeatedBot, fault: Span, sessionsBefore: number) {
  const sessions = bot.room.sessions.of(bot.name)
  const began = (sessions[sessionsBefore - 1]?.from ?? fault.from) + BEGUN_MS
  const next = sessions[sessionsBefore]
  // What was recorded last is on its way to the disk.
  const settled = bots.recordedUntil(bot)
  return {
    ended: next !== undefined || sessions.at(-1)?.to !== null,
    backMs: next ? next.from - fault.to : null,
    lostBeforeMs: bots.missing(bot, { from: Math.max(fault.from - BEFORE_MS, began), to: fault.from }),
    lostAfterMs: bots.missing(bot, { from: fault.from, to: Math.max(fault.from, settled) }),
  }
}

function sessionsOf(bots: RoomBots): ReadonlyMap<SeatedBot, number> {
  return new Map(bots.seated().map((bot) => [bot, bot.room.sessions.of(bot.name).length]))
}

function doublesIn(rooms: readonly WatchedRoom[]): number {
  return rooms.reduce((sum, { sessions }) => sum + sessions.doubles(), 0)
}

function tell(which: string, it: Judged): void {
  const back = it.backMs.map((ms) => `${(ms / 1_000).toFixed(1)} s`).join(', ') || 'no bot had to come'
  const lost = `lost ${(it.lostBeforeMs / 1_000).toFixed(2)} s before, ${(it.lostAfterMs / 1_000).toFixed(2)} s after`
  console.error(`${which}: ${it.recovered ? 'recovered' : 'NOT RECOVERED'}, back after ${back}, ${lost}`)
}
