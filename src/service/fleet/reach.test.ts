// A bot on another node: what it hears comes whole, however much was said.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/helpers/database.ts'
import { claimAll, createTestFleet } from '../../../test/helpers/fleet.ts'
import type { BotId } from '../../domain/bot.ts'
import type { Glance } from '../../domain/protocol.ts'
import { createOutgoing } from '../../kit/outgoing.ts'
import { createReach } from './reach.ts'

const LINES = Array.from({ length: 30 }, (_, index) => ({ id: index + 1, speakerId: 'ada', name: 'Ada', text: 'word '.repeat(100), at: 0 }))
const GLANCE: Glance = { levels: [{ speakerId: 'ada', name: 'Ada', level: 0.5 }], lines: LINES }

/** No bot sits on this node. */
const NOBODY_HERE = {
  has: () => false,
  perform: async () => null,
  glance: async () => null,
  leave: async () => false,
  evict: () => undefined,
}

test('reads what a bot on another node hears, also when it is long', async () => {
  const { db, drop } = await createTestDatabase()
  const asked: (string | undefined)[] = []
  const server = createServer((request, response) => {
    asked.push(request.url, request.headers.authorization)
    response.end(JSON.stringify({ problem: null, left: false, glance: GLANCE }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const node = { id: 'node_2', key: 'a key', seats: 1, free_seats: 0, started_at: new Date(), alive_until: new Date(Date.now() + 60_000) }
  await db
    .insertInto('nodes')
    .values({ ...node, address: `http://127.0.0.1:${port}` })
    .execute()
  const fleet = await createTestFleet(db)
  const botId = (await fleet.create()) as BotId
  await claimAll(db, 60, 'node_2')

  const outgoing = createOutgoing({ allowPrivate: true })
  const reach = createReach({ hosts: NOBODY_HERE, db, ownNodeId: 'node_1', outgoing })
  expect(await reach.glance(botId)).toEqual(GLANCE)
  expect(asked).toEqual([`/internal/v1/bots/${botId}`, 'Node a key'])
  await outgoing.close()
  server.close()
  await drop()
})
