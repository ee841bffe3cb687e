// Faults of one kind, in sequence: each at a random moment under load, followed by a wait for recovery.
import { setTimeout as delay } from 'node:timers/promises'
import { RoomBots, type SeatedBot } from './bots.ts'
import { type Durability, durabilityOf } from './durability.ts'
import { FAULTS, type Kind, strike } from './faults.ts'
import { Load, type Receipts } from './load.ts'
import type { Span } from './media.ts'
import type { CrashVenue, WatchedRoom } from './rooms.ts'
import type { Subject } from './service-under-test.ts'

/** Time between recovery and the next fault. */
const MOMENT_MS = { least: 500, most: 4_000 }
/** At least this much time before a fault is checked. */
const BEFORE_MS = 10_000
/** A lease that was not renewed has an effect after it ends. */
const AFTERMATH_MS = 12_000
/** Faults stop after this many failures to recover. */
const MOST_FAILURES = 2
/** A recording begins a moment after its bot has joined. */
const BEGUN_MS = 2_000

type Struck = {
  readonly kind: Kind
  readonly recovered: boolean
  /** Bots whose session ended, and the milliseconds after which they rejoined. */
  readonly ended: number
  readonly backMs: readonly number[]
  /** The parts of each bot's recording that the fault may have cost. */
  readonly windows: readonly { readonly bot: SeatedBot; readonly before: Span; readonly after: Span }[]
}

export type MeasuredFault = Struck & {
  /** The largest loss of a bot in milliseconds, before the fault and after its return. */
  readonly lostBeforeMs: number
  readonly lostAfterMs: number
}

export type Round = {
  readonly faults: readonly MeasuredFault[]
  /** How often a bot rejoined its room, or should have. */
  readonly rejoins: number
  readonly kept: Durability
  readonly doubles: number
  readonly deaths: number
  readonly unanswered: number
}

type Scene = { readonly subject: Subject; readonly venue: CrashVenue; readonly receipts: Receipts; readonly random: () => number }

export async function runFaults(scene: Scene, kind: Kind, count: number): Promise<Round> {
  const { subject, venue, receipts } = scene
  const bots = new RoomBots(subject, await subject.openRecordings(), { rooms: venue.rooms, receipts, label: kind })
  const load = new Load(subject, receipts.url)
  const [doublesBefore, deathsBefore] = [doublesIn(venue.rooms), subject.deaths()]
  const faults: Struck[] = []
  try {
    while (faults.length < count) {
      const struck = failures(faults) < MOST_FAILURES ? await oneFault(scene, bots, kind).catch(unrecovered(kind)) : unrecovered(kind)()
      faults.push(struck)
      logProgress(`${kind} ${faults.length} of ${count}`, struck)
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
  const kept = await durabilityOf(subject, [...load.acknowledged(), ...bots.acknowledged], receipts)
  const [doubles, deaths] = [doublesIn(venue.rooms) - doublesBefore, subject.deaths() - deathsBefore]
  return { faults: faults.map((it) => measured(bots, it)), rejoins, kept, doubles, deaths, unanswered: load.unanswered() }
}

/** Compares with the store, from which files are made. */
function measured(bots: RoomBots, struck: Struck): MeasuredFault {
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
  subject.leftovers.look()
  const before = sessionsOf(bots)
  const fault = await strike(
    kind,
    subject,
    random,
    bots.seated().map(({ id }) => id),
  )
  const recovered = await bots.settled(fault.to)
  const checkedMs = Math.max(BEFORE_MS, 2_000 * (FAULTS[kind].mostLostSeconds ?? 0))
  const checked = { from: fault.from - checkedMs, to: fault.from }
  const hit = bots.seated().map((bot) => consequence(bots, bot, checked, before.get(bot) ?? 0))
  return {
    kind,
    recovered,
    windows: hit,
    ended: hit.filter(({ ended }) => ended).length,
    backMs: hit.flatMap(({ backMs }) => backMs ?? []),
  }
}

/** `checked` ends with the fault. */
function consequence(bots: RoomBots, bot: SeatedBot, checked: Span, sessionsBefore: number) {
  const sessions = bot.room.sessions.of(bot.name)
  const began = (sessions[sessionsBefore - 1]?.from ?? checked.to) + BEGUN_MS
  const next = sessions[sessionsBefore]
  return {
    bot,
    ended: next !== undefined || sessions.at(-1)?.to !== null,
    backMs: next ? next.from - checked.to : null,
    before: { from: Math.max(checked.from, began), to: checked.to },
    // The latest audio is on its way to the disk.
    after: { from: checked.to, to: bots.recordedUntil(bot) },
  }
}

function sessionsOf(bots: RoomBots): ReadonlyMap<SeatedBot, number> {
  return new Map(bots.seated().map((bot) => [bot, bot.room.sessions.of(bot.name).length]))
}

function doublesIn(rooms: readonly WatchedRoom[]): number {
  return rooms.reduce((sum, { sessions }) => sum + sessions.doubles(), 0)
}

function logProgress(which: string, it: Struck): void {
  const back = it.backMs.map((ms) => `${(ms / 1_000).toFixed(1)} s`).join(', ') || 'no bot had to come'
  console.error(`${which}: ${it.recovered ? 'recovered' : 'NOT RECOVERED'}, back after ${back}`)
}
