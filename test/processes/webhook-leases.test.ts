// Deliveries whose sender is slower than its lease: a bot's events keep their order at a receiver, and a late record counts.
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type DatabaseLine, openDatabaseLine } from '../../sims/database-line.ts'
import type { BotId } from '../../src/domain/bot.ts'
import type { Loop } from '../../src/kit/loop.ts'
import { createOutgoing, type Outgoing } from '../../src/kit/outgoing.ts'
import { createVault } from '../../src/service/accounts/secrets.ts'
import { type Db, openDatabase } from '../../src/service/db/database.ts'
import { insertEvent, releaseLapsed } from '../../src/service/db/deliveries.ts'
import { startDelivery } from '../../src/service/delivery/deliver.ts'
import { createTestDatabase, type TestDatabase } from '../helpers/database.ts'
import { createTestFleet, type TestFleet } from '../helpers/fleet.ts'
import { type Receiver, startReceiver } from '../helpers/receiver.ts'
import { until } from '../helpers/until.ts'

/** For a lease to pass on a busy machine. */
const LONG_MS = 60_000

let database: TestDatabase
let fleet: TestFleet
let hook: Receiver
let line: DatabaseLine
let farDb: Db
let outgoing: Outgoing
beforeEach(async () => {
  database = await createTestDatabase()
  fleet = await createTestFleet(database.db)
  hook = await startReceiver()
  const { connection } = database
  if (!('host' in connection)) throw new Error('the test database has no socket')
  line = await openDatabaseLine({ path: `${connection.host}/.s.PGSQL.${connection.port}` })
  farDb = openDatabase({ connection: { ...connection, host: line.host, port: line.port }, connections: 4, onError: () => undefined })
  outgoing = createOutgoing({ allowPrivate: true })
})
afterEach(async () => {
  line.thaw()
  await farDb.destroy()
  await line.close()
  await outgoing.close()
  await hook.close()
  await database.drop()
})

function sender(db: Db): Loop {
  const vault = createVault('a secret key for tests')
  return startDelivery({
    db,
    outgoing,
    vault,
    headerPrefix: 'X-Service',
    log: pino({ level: 'silent' }),
    now: () => new Date(),
    random: () => 0.5,
  })
}

const deliveryOf = (bot: string) =>
  database.db.selectFrom('deliveries').selectAll().where('bot_id', '=', bot).orderBy('seq').limit(1).executeTakeFirstOrThrow()

const eventIds = () => hook.received.map((it) => it.body.event_id)

test(
  'a sender that learns of its claim after the lease does not send behind a later event',
  async () => {
    const bot = await fleet.create({ callbackUrl: hook.url })
    const first = (await deliveryOf(bot)).event_id
    line.freezeBefore(first)
    const slow = sender(farDb)
    await until('the slow sender has a claim that it does not know of', async () => (await deliveryOf(bot)).state === 'sending', 10_000)
    await until('the lease is over', async () => ((await deliveryOf(bot)).claimed_until ?? new Date()) < new Date(), LONG_MS / 2)

    const quick = sender(database.db)
    await hook.waitFor(1)
    const at = new Date()
    const second = { id: 'msg_second', workspaceId: fleet.workspaceId, botId: bot as BotId, name: 'bot.stopped', at }
    await insertEvent(database.db, { ...second, body: JSON.stringify({ event_id: second.id }) }, [hook.url])
    await hook.waitFor(2)

    line.thaw()
    await slow.stop()
    await quick.stop()
    expect(eventIds()).toEqual([first, second.id])
  },
  LONG_MS,
)

test('an answer that is recorded after the lease counts while no other sender has the delivery', async () => {
  const bot = await fleet.create({ callbackUrl: hook.url })
  hook.answerWith((_it, response) => {
    line.freeze()
    response.end()
  })
  const slow = sender(farDb)
  await hook.waitFor(1)
  await database.db
    .updateTable('deliveries')
    .set({ claimed_until: new Date(0) })
    .execute()
  await releaseLapsed(database.db)
  expect((await deliveryOf(bot)).state).toBe('queued')

  // Its next claims find nothing: the record is all that is left to be done.
  await database.db
    .updateTable('deliveries')
    .set({ due_at: new Date(Date.now() + LONG_MS) })
    .execute()
  line.thaw()
  await slow.stop()
  expect((await deliveryOf(bot)).state).toBe('delivered')
})
