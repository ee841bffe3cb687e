// Random edits of calendars, synced in any order, concurrently and with crashes: each meeting has exactly one bot.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type GoogleAccount, startGoogle } from '../../../sims/calendars/google.ts'
import type { ConnectionId } from '../../../src/domain/bot.ts'
import { SupersededError } from '../../../src/service/calendar/mirror.ts'
import { ProviderError } from '../../../src/service/calendar/provider.ts'
import { type CalendarFixture, createCalendarFixture, enableAuto } from '../../helpers/calendars/calendar-fixture.ts'
import { meetLink } from '../../helpers/calendars/event-fields.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { databaseForFile } from '../../helpers/service/for-file.ts'

const SEED = 20_261_115
const RUNS = 60
const HOUR_MS = 3_600_000
const NOW = new Date('2026-11-15T12:00:00Z')

const database = databaseForFile()
let clock = NOW.getTime()
// Every edit has its own time, because the newer of two copies wins.
const google = openForFile(() => startGoogle({ now: () => new Date(++clock) }))

type Edit =
  | { readonly kind: 'put'; readonly user: number; readonly id: number; readonly hour: number; readonly link: number | null }
  | {
      readonly kind: 'series'
      readonly user: number
      readonly id: number
      readonly hour: number
      readonly link: number
      readonly count: number
    }
  | { readonly kind: 'except'; readonly user: number; readonly id: number; readonly number: number; readonly shift: number | null }
  | { readonly kind: 'decline' | 'accept' | 'remove'; readonly user: number; readonly id: number }
  | { readonly kind: 'sync'; readonly user: number }
  | { readonly kind: 'both' | 'crash' | 'forget' }

const user = fc.integer({ min: 0, max: 1 })
const id = fc.integer({ min: 0, max: 3 })
const hour = fc.integer({ min: 1, max: 6 })
const link = fc.integer({ min: 0, max: 2 })
const edits: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('put' as const), user, id, hour, link: fc.option(link, { freq: 5 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('series' as const), user, id, hour, link, count: fc.integer({ min: 1, max: 4 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('except' as const),
      user,
      id,
      number: fc.integer({ min: 0, max: 3 }),
      shift: fc.option(hour),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('decline' as const, 'accept' as const, 'remove' as const), user, id }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('sync' as const), user }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('both' as const, 'crash' as const, 'forget' as const) }) },
)

type Occurrence = { readonly uid: string; readonly start: number; readonly link: number | null; readonly at: number }
type Entry = {
  readonly link: number | null
  readonly start: number
  readonly count: number | null
  declined: boolean
  at: number
  readonly exceptions: Map<number, { start: number | null; at: number }>
}

/** The expected calendars, kept by the test itself. */
class Model {
  readonly calendars: readonly Map<number, Entry>[] = [new Map(), new Map()]

  /** Links and starts of the meetings that must have a bot. */
  meetings(): string[] {
    const copies = this.calendars.flatMap((entries) =>
      [...entries].flatMap(([id, entry]) => (entry.declined ? [] : occurrencesOf(id, entry))),
    )
    const newest = new Map<string, Occurrence>()
    for (const it of copies.filter(({ link }) => link !== null)) if ((newest.get(it.uid)?.at ?? -1) < it.at) newest.set(it.uid, it)
    return [...new Set([...newest.values()].map(({ link, start }) => `${meetLink(link ?? 0)} ${new Date(start).toISOString()}`))].toSorted()
  }
}

function occurrencesOf(id: number, { link, start, count, exceptions, at }: Entry): Occurrence[] {
  if (count === null) return [{ uid: `${id}`, start, link, at }]
  return Array.from({ length: count }, (_, number) => number).flatMap((number) => {
    const original = start + number * 24 * HOUR_MS
    const exception = exceptions.get(original)
    if (exception?.start === null) return []
    return [{ uid: `${id}|${original}`, start: exception?.start ?? original, link, at: exception?.at ?? at }]
  })
}

const times = (start: number) => {
  const at = (time: number) => ({ dateTime: new Date(time).toISOString(), timeZone: 'UTC' })
  return { start: at(start), end: at(start + HOUR_MS / 2) }
}

/** An edit of an event by a user. */
type Said = Exclude<Edit, { readonly kind: 'sync' } | { readonly kind: 'both' | 'crash' | 'forget' }>

const nameOf = (id: number): string => `event${id}`

class World {
  readonly model = new Model()
  readonly bench: CalendarFixture
  readonly accounts: readonly GoogleAccount[]
  readonly connections: readonly ConnectionId[]

  constructor(bench: CalendarFixture, accounts: readonly GoogleAccount[], connections: readonly ConnectionId[]) {
    this.bench = bench
    this.accounts = accounts
    this.connections = connections
  }

  async apply(edit: Edit): Promise<void> {
    if (edit.kind === 'sync') await this.sync(edit.user)
    else if (edit.kind === 'both') await Promise.all([this.sync(0), this.sync(1), this.sync(0)])
    else if (edit.kind === 'crash') await this.crash()
    else if (edit.kind === 'forget') for (const account of this.accounts) account.forgetTokens()
    else if ('id' in edit) this.edit(edit)
  }

  /** A sync that another one supersedes has no result. */
  async sync(index: number): Promise<void> {
    await this.bench.sync(this.connections[index] as ConnectionId).catch((error: unknown) => {
      if (!(error instanceof SupersededError)) throw error
    })
  }

  /** The provider fails in the middle of a sync. */
  async crash(): Promise<void> {
    google.fail({ path: /\/events$/, status: 400, body: { error: { code: 400, message: 'broken off' } } })
    await this.bench.sync(this.connections[1] as ConnectionId).catch((error: unknown) => {
      if (!(error instanceof ProviderError)) throw error
    })
  }

  edit(edit: Said): void {
    const { user, id } = edit
    const account = this.accounts[user] as GoogleAccount
    const entries = this.model.calendars[user] as Map<number, Entry>
    const known = entries.get(id)
    if (edit.kind === 'put' || edit.kind === 'series') entries.set(id, this.put(account, known, edit))
    else if (!known) return
    else if (edit.kind === 'except') this.except(account, known, edit)
    else if (edit.kind === 'remove') {
      account.remove(nameOf(id))
      entries.delete(id)
    } else {
      known.declined = edit.kind === 'decline'
      account.put({ id: nameOf(id), attendees: [{ self: true, responseStatus: known.declined ? 'declined' : 'accepted' }] })
      known.at = clock
    }
  }

  put(account: GoogleAccount, known: Entry | undefined, edit: Extract<Edit, { kind: 'put' | 'series' }>): Entry {
    // A series that becomes another one is deleted and created anew in a calendar. It can also stop repeating.
    if (known && edit.kind === 'series') account.remove(nameOf(edit.id))
    const start = NOW.getTime() + edit.hour * HOUR_MS
    const count = edit.kind === 'series' ? edit.count : null
    const recurrence = count === null ? undefined : [`RRULE:FREQ=DAILY;COUNT=${count}`]
    const hangoutLink = edit.link === null ? undefined : meetLink(edit.link)
    account.put({ id: nameOf(edit.id), iCalUID: `${edit.id}@uid`, hangoutLink, recurrence, attendees: [], ...times(start) })
    return { link: edit.link, start, count, declined: false, at: clock, exceptions: new Map() }
  }

  except(account: GoogleAccount, entry: Entry, { id, number, shift }: Extract<Edit, { kind: 'except' }>): void {
    // Skips a declined series: users do not edit its occurrences, and an edited one would count on its own.
    if (entry.count === null || number >= entry.count || entry.declined) return
    const original = entry.start + number * 24 * HOUR_MS
    const start = shift === null ? null : original + shift * HOUR_MS
    account.except(nameOf(id), new Date(original).toISOString(), start === null ? 'cancelled' : times(start))
    entry.exceptions.set(original, { start, at: clock })
  }
}

let worlds = 0
async function newWorld(): Promise<World> {
  worlds += 1
  const bench = await createCalendarFixture(database.db, google, () => NOW, `world${worlds}@example.com`)
  const accounts = [0, 1].map((number) => google.account(`world${worlds}-${number}@example.com`))
  const connections = await Promise.all(accounts.map((account) => bench.connect(account)))
  await enableAuto(bench)
  return new World(bench, accounts, connections)
}

const written = (bots: Awaited<ReturnType<CalendarFixture['scheduled']>>) =>
  bots.map(({ link, start }) => `${link} ${new Date(start).toISOString()}`).toSorted()

test('keeps the bots in line with the calendars after any edits and syncs', { timeout: 180_000 }, async () => {
  let bots = 0
  await fc.assert(
    fc.asyncProperty(fc.array(edits, { minLength: 1, maxLength: 24 }), async (all) => {
      const world = await newWorld()
      for (const edit of all) await world.apply(edit)
      for (const index of [0, 1]) await world.sync(index)
      const found = written(await world.bench.scheduled())
      expect(found).toEqual(world.model.meetings())
      bots += found.length
      // Another sync without changes does nothing.
      const before = await world.bench.scheduled()
      await Promise.all([world.sync(0), world.sync(1)])
      expect(await world.bench.scheduled()).toEqual(before)
    }),
    { seed: SEED, numRuns: RUNS, endOnFailure: false },
  )
  // The calendars were not all empty.
  expect(bots).toBeGreaterThan(RUNS)
})
