import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../test/helpers/service/database.ts'
import { claimAll, createTestFleet, specFor, type TestFleet } from '../../../../test/helpers/service/fleet.ts'
import { until } from '../../../../test/helpers/until.ts'
import type { BotId } from '../../../domain/bot.ts'
import { createLog } from '../../../kit/log.ts'
import { monotonicMs } from '../../../kit/monotonic.ts'
import { notePause } from '../../db/fleet/bots.ts'
import type { Claim, FreeSeats } from '../../db/fleet/claims.ts'
import { renewNode } from '../../db/fleet/nodes.ts'
import { transition } from '../bot/transition.ts'
import { type AskSuccessor, HandOver } from './hand-over.ts'
import { PendingLaunches } from './pending-launches.ts'
import { Successions } from './successions.ts'

const LOG = createLog({ level: 'silent', pretty: false })
const ROOM = 'http://127.0.0.1:4000'
const SEATS: FreeSeats = { open: 4, seatsPerBrowser: 1, own: new Map() }

let database: TestDatabase
let fleet: TestFleet
beforeAll(async () => {
  database = await createTestDatabase()
  fleet = await createTestFleet(database.db)
  for (const id of ['draining', 'next', 'third'])
    await renewNode(
      database.db,
      { ...NODE, id, address: `http://${id}`, draining: id === 'draining', startedAt: new Date(STARTED[id] ?? 0) },
      600,
    )
})
afterAll(() => database.drop())
beforeEach(() => database.db.deleteFrom('bots').execute())

const STARTED: Readonly<Record<string, number>> = { draining: 1, third: 2, next: 3 }
const NODE = { key: '', seats: 4, freeSeats: 4, freedSeats: 0, roles: ['fleet'], version: '', outageSeconds: 0 } as const

/** Bots in their meetings, held by the node that drains. */
async function heldBots(count: number): Promise<readonly Claim[]> {
  const claims: Claim[] = []
  for (let index = 0; index < count; index++) {
    const botId = (await fleet.create({ spec: specFor(`${ROOM}/room/${index}`, {}, ROOM) })) as BotId
    claims.push({ botId, fence: 1 })
  }
  await claimAll(database.db, 600, 'draining')
  for (const { botId } of claims)
    for (const by of ['join_requested', 'admitted'] as const) await transition(fleet.deps, { bot: botId, by, at: new Date(), fence: 1 })
  return claims
}

/** A node that succeeds, with workers that only hold bots. */
function successor(nodeId = 'next', { seats = SEATS, places = 1, fails = false } = {}) {
  const seated = new Map<BotId, number>()
  const performed: unknown[] = []
  const workers = {
    has: (botId: BotId, fence?: number) => seated.get(botId) === fence,
    freeSeats: () => seats,
    async perform(_botId: BotId, _commandId: string, command: unknown) {
      performed.push(command)
      return null
    },
  }
  const successions = new Successions({ db: database.db, log: LOG, nodeId, launching: new PendingLaunches(), workers })
  const succeed = (claim: Claim) =>
    successions.succeed(claim, {
      affordable: () => places,
      async launch({ id, fence }) {
        if (fails) throw new Error('No worker has a free seat for this workspace')
        seated.set(id, fence)
      },
    })
  return { successions, seated, performed, succeed }
}

function drainingNode(claims: readonly Claim[], ask: AskSuccessor) {
  const here = new Map(claims.map((claim) => [claim.botId, claim]))
  const story: string[] = []
  const workers = {
    bots: () => [...here.values()],
    has: (botId: BotId) => here.has(botId),
    expect: (botId: BotId) => void story.push(`expects ${claims.findIndex((it) => it.botId === botId)}`),
    async leave(botId: BotId) {
      story.push(`leaves ${claims.findIndex((it) => it.botId === botId)}`)
      return here.delete(botId)
    },
    evict: () => undefined,
  }
  const handOver = new HandOver({ db: database.db, log: LOG, nodeId: 'draining', ask, workers })
  const interruption = new AbortController()
  const start = (withinMs = 60_000) => handOver.inTurn({ untilMs: monotonicMs() + withinMs, interrupted: interruption.signal })
  return { start, story, interruption, handOver, here }
}

const admitted = (claim: Claim) => ({ botId: claim.botId, fence: 1_001 })
const holderOf = async ({ botId }: Claim) =>
  (await database.db.selectFrom('bots').select(['node_id', 'fence']).where('id', '=', botId).executeTakeFirstOrThrow()) as unknown
test('hands bots over one at a time, each when its successor is in the meeting', async () => {
  const claims = await heldBots(2)
  const [first, second] = claims as [Claim, Claim]
  const next = successor()
  const { start, story, handOver } = drainingNode(claims, (_, claim) => next.succeed(claim))
  const done = start()
  await until('the first is succeeded', () => next.seated.has(first.botId))
  expect([handOver.isHandingOver(first.botId), handOver.isHandingOver(second.botId)]).toEqual([true, false])
  await next.successions.takeOver(admitted(first))
  await until('the second is succeeded', () => next.seated.has(second.botId))
  expect(story).toEqual(['expects 0', 'leaves 0', 'expects 1'])
  await next.successions.takeOver(admitted(second))
  await done
  expect(story.at(-1)).toBe('leaves 1')
  expect(await holderOf(second)).toEqual({ node_id: 'next', fence: 1_001 })
})

test('asks the next node when one refuses or does not answer', async () => {
  const claims = await heldBots(1)
  const third = successor('third')
  const asked: string[] = []
  const { start, interruption } = drainingNode(claims, async ({ id }, claim) => {
    asked.push(id)
    if (id === 'next') throw new Error('no answer')
    return third.succeed(claim)
  })
  const done = start()
  await until('the bot is succeeded', () => third.seated.size === 1)
  interruption.abort()
  await done
  expect(asked).toEqual(['next', 'third'])
})

test('keeps a bot whose successor was not let in', async () => {
  const claims = await heldBots(1)
  const next = successor()
  const { start, story, here } = drainingNode(claims, (_, claim) => next.succeed(claim))
  const done = start()
  await until('the bot is succeeded', () => next.seated.size === 1)
  await next.successions.end(admitted(claims[0] as Claim))
  await done
  expect(story).toEqual(['expects 0'])
  expect(here.size).toBe(1)
  expect(await holderOf(claims[0] as Claim)).toEqual({ node_id: 'draining', fence: 1 })
})

test('asks no further node when one has used up the time', async () => {
  const claims = await heldBots(1)
  const asked: string[] = []
  const { start } = drainingNode(claims, async ({ id }) => {
    asked.push(id)
    await delay(700)
    return false
  })
  await start(600)
  expect(asked).toEqual(['next'])
})

test('does not wait for a successor beyond its limit', async () => {
  const claims = await heldBots(1)
  const next = successor()
  const { start, story } = drainingNode(claims, (_, claim) => next.succeed(claim))
  await start(600)
  expect(story).toEqual(['expects 0'])
})

test.each([
  { name: 'without a seat', options: { seats: { ...SEATS, open: 0 } } },
  { name: 'that cannot launch the bot', options: { fails: true } },
  { name: 'where as many bots join as may', options: { places: 0 } },
])('refuses a bot on a node $name, and lets another node succeed', async ({ options }) => {
  const [claim] = (await heldBots(1)) as [Claim]
  expect(await successor('next', options).succeed(claim)).toBe(false)
  expect(await successor('third').succeed(claim)).toBe(true)
})

test('pauses the recording of a successor if it was paused while the successor joined', async () => {
  const [claim] = (await heldBots(1)) as [Claim]
  const next = successor()
  await next.succeed(claim)
  await notePause(database.db, claim, { isPaused: true, at: Date.now() })
  await next.successions.takeOver(admitted(claim))
  expect(next.performed).toEqual([{ kind: 'pause_recording' }])
})
