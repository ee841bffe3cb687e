// Requests to a bot on another node.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/helpers/database.ts'
import { claimAll, createTestFleet } from '../../../test/helpers/fleet.ts'
import type { BotId } from '../../domain/bot.ts'
import type { Glance } from '../../domain/protocol.ts'
import { createHttpClient } from '../../kit/http-client.ts'
import { createReach } from './reach.ts'

const LINES = Array.from({ length: 30 }, (_, index) => ({ id: index + 1, speakerId: 'ada', name: 'Ada', text: 'word '.repeat(100), at: 0 }))
const GLANCE: Glance = { levels: [{ speakerId: 'ada', name: 'Ada', level: 0.5 }], lines: LINES }

/** Hosts without bots. */
const NO_BOTS = {
  has: () => false,
  perform: async () => null,
  glance: async () => null,
  leave: async () => false,
  evict: () => undefined,
}

test('reads the live transcript of a bot on another node, also when it is long', async () => {
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

  const http = createHttpClient({ allowPrivate: true })
  const reach = createReach({ hosts: NO_BOTS, db, ownNodeId: 'node_1', http })
  expect(await reach.glance(botId)).toEqual(GLANCE)
  expect(asked).toEqual([`/internal/v1/bots/${botId}`, 'Node a key'])
  await http.close()
  server.close()
  await drop()
})
