// One service, faults of some kinds, one after the other: each at a random moment under load, and followed by a wait for recovery.
import { setTimeout as delay } from 'node:timers/promises'
import { RoomBots, type SeatedBot } from './bots.ts'
import { FAULTS, type Kind, strike } from './faults.ts'
import { type Kept, keptOf } from './kept.ts'
import { Load, type Receipts } from './load.ts'
import type { Span } from './media.ts'
import type { Subject } from './subject.ts'
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

type Struck = {
  readonly kind: Kind
  readonly recovered: boolean
  /** Bots whose session ended, and for those that came back milliseconds since the fault. */
  readonly ended: number
  readonly backMs: readonly number[]
  /** What of each bot's recording the fault may have cost. */
  readonly windows: readonly { readonly bot: SeatedBot; readonly before: Span; readonly after: Span }[]
}

export type Judged = Struck & {
  /** Of the bot that has lost most, in milliseconds: from before the fault, and from after its return. */
  readonly lostBeforeMs: number
  readonly lostAfterMs: number
}

export type Round = {
  readonly faults: readonly Judged[]
  /** How often a bot of the round came to its room again, or should have come. */
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
  const faults: Struck[] = []
  try {
    while (faults.length < count) {
      const struck = failures(faults) < MOST_FAILURES ? await oneFault(scene, bots, kind).catch(unrecovered(kind)) : unrecovered(kind)()
      faults.push(struck)
      tell(`${kind} ${faults.length} of ${count}`, struck)
      if (!struck.recovered) await bots.dismissAll()
    }
    if (FAULTS[kind].session !== 'ends') {
      await delay(AFTERMATH_MS)
      await bots.settled(Date.now())
    }
  } finally {
    load.stop()
  }
  const rejoins = bots.rejoins()
  await bots.dismissAll()
  await bots.stored()
  const kept = await keptOf(subject, [...load.acknowledged(), ...bots.acknowledged], receipts)
  const [doubles, deaths] = [doublesIn(venue.rooms) - doublesBefore, subject.deaths() - deathsBefore]
  return { faults: faults.map((it) => judged(bots, it)), rejoins, kept, doubles, deaths, unanswered: load.unanswered() }
}

/** By what is in the store when all is over: that is what files are made of. */
function judged(bots: RoomBots, struck: Struck): Judged {
  const most = (which: 'before' | 'after') => Math.max(0, ...struck.windows.map((it) => bots.missing(it.bot, it[which])))
  return { ...struck, lostBeforeMs: most('before'), lostAfterMs: most('after') }
}

export function failures(faults: readonly Pick<Struck, 'recovered'>[]): number {
  return faults.filter(({ recovered }) => !recovered).length
}

function unrecovered(kind: Kind): (error?: unknown) => Struck {
  return (error) => {
    if (error) console.error(error)
    return { kind, recovered: false, ended: 0, backMs: [], windows: [] }
  }
}

async function oneFault({ subject, random }: Scene, bots: RoomBots, kind: Kind): Promise<Struck> {
  await subject.ready()
  await bots.refresh()
  if (!(await bots.settled(Date.now()))) throw new Error(`bench: the bots were not in their rooms before a fault of ${kind}`)
  await delay(MOMENT_MS.least + random() * (MOMENT_MS.most - MOMENT_MS.least))
  subject.remains.look()
  const before = sessionsOf(bots)
  const fault = await strike(
    kind,
    subject,
    random,
    bots.seated().map(({ id }) => id),
  )
  const recovered = await bots.settled(fault.to)
  const hit = bots.seated().map((bot) => consequence(bots, bot, fault, before.get(bot) ?? 0))
  return {
    ...{ kind, recovered, windows: hit },
    ended: hit.filter(({ ended }) => ended).length,
    backMs: hit.flatMap(({ backMs }) => backMs ?? []),
  }
}

function consequence(bots: RoomBots, bot: SeatedBot, fault: Span, sessionsBefore: number) {
  const sessions = bot.room.sessions.of(bot.name)
  const began = (sessions[sessionsBefore - 1]?.from ?? fault.from) + BEGUN_MS
  const next = sessions[sessionsBefore]
  return {
    bot,
    ended: next !== undefined || sessions.at(-1)?.to !== null,
    backMs: next ? next.from - fault.from : null,
    before: { from: Math.max(fault.from - BEFORE_MS, began), to: fault.from },
    // What was recorded last is on its way to the disk.
    after: { from: fault.from, to: bots.recordedUntil(bot) },
  }
}

function sessionsOf(bots: RoomBots): ReadonlyMap<SeatedBot, number> {
  return new Map(bots.seated().map((bot) => [bot, bot.room.sessions.of(bot.name).length]))
}

function doublesIn(rooms: readonly WatchedRoom[]): number {
  return rooms.reduce((sum, { sessions }) => sum + sessions.doubles(), 0)
}

function tell(which: string, it: Struck): void {
  const back = it.backMs.map((ms) => `${(ms / 1_000).toFixed(1)} s`).join(', ') || 'no bot had to come'
  console.error(`${which}: ${it.recovered ? 'recovered' : 'NOT RECOVERED'}, back after ${back}`)
}
