// Deliveries whose sender is slower than its lease: a bot's events keep their order, and a late record counts.
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openTcpProxy, type TcpProxy } from '../../sims/tcp-proxy.ts'
import type { BotId } from '../../src/domain/bot.ts'
import { createHttpClient, type HttpClient } from '../../src/kit/http-client.ts'
import type { Loop } from '../../src/kit/loop.ts'
import { createVault } from '../../src/service/accounts/secrets.ts'
import { type Db, openPool } from '../../src/service/db/database.ts'
import { insertEvent, releaseLapsed } from '../../src/service/db/delivery/deliveries.ts'
import { startDelivery } from '../../src/service/delivery/deliver.ts'
import { type Receiver, startReceiver } from '../helpers/callers/receiver.ts'
import { createTestDatabase, type TestDatabase } from '../helpers/service/database.ts'
import { createTestFleet, type TestFleet } from '../helpers/service/fleet.ts'
import { until } from '../helpers/until.ts'

/** Long enough for a lease to lapse on a busy machine. */
const LONG_MS = 60_000

let database: TestDatabase
let fleet: TestFleet
let hook: Receiver
let proxy: TcpProxy
let farDb: Db
let http: HttpClient
beforeEach(async () => {
  database = await createTestDatabase()
  fleet = await createTestFleet(database.db)
  hook = await startReceiver()
  const { connection } = database
  if (!('host' in connection)) throw new Error('the test database has no socket')
  proxy = await openTcpProxy({ path: `${connection.host}/.s.PGSQL.${connection.port}` })
  farDb = openPool({ connection: { ...connection, host: proxy.host, port: proxy.port }, connections: 4, onError: () => undefined })
  http = createHttpClient({ allowPrivate: true })
})
afterEach(async () => {
  proxy.thaw()
  await farDb.destroy()
  await proxy.close()
  await http.close()
  await hook.close()
  await database.drop()
})

function sender(db: Db): Loop {
  const vault = createVault('a secret key for tests')
  return startDelivery({
    db,
    http,
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
  'does not send a delivery whose lease had lapsed when its claim was answered',
  async () => {
    const bot = await fleet.create({ callbackUrl: hook.url })
    const first = (await deliveryOf(bot)).event_id
    proxy.freezeBefore(first)
    const slow = sender(farDb)
    await until('the slow sender has a claim that it does not know of', async () => (await deliveryOf(bot)).state === 'sending', 10_000)
    await until('the lease is over', async () => ((await deliveryOf(bot)).claimed_until ?? new Date()) < new Date(), LONG_MS / 2)

    const quick = sender(database.db)
    await hook.waitFor(1)
    const at = new Date()
    const second = { id: 'msg_second', workspaceId: fleet.workspaceId, botId: bot as BotId, name: 'bot.stopped', at }
    await insertEvent(database.db, { ...second, body: JSON.stringify({ event_id: second.id }) }, [hook.url])
    await hook.waitFor(2)

    proxy.thaw()
    await slow.stop()
    await quick.stop()
    expect(eventIds()).toEqual([first, second.id])
  },
  LONG_MS,
)

test('counts an answer recorded after the lease while no other sender has the delivery', async () => {
  const bot = await fleet.create({ callbackUrl: hook.url })
  hook.answerWith((_it, response) => {
    proxy.freeze()
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

  // The sender's next claims find nothing, so it only records its attempt.
  await database.db
    .updateTable('deliveries')
    .set({ due_at: new Date(Date.now() + LONG_MS) })
    .execute()
  proxy.thaw()
  await slow.stop()
  expect((await deliveryOf(bot)).state).toBe('delivered')
})
