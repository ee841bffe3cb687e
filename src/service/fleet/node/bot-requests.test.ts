// Requests to a bot on another node.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../../../../test/helpers/service/database.ts'
import { claimAll, createTestFleet } from '../../../../test/helpers/service/fleet.ts'
import type { BotId } from '../../../domain/bot.ts'
import type { Glance } from '../../../domain/protocol.ts'
import { createHttpClient } from '../../../kit/http-client.ts'
import { createBotRequests, executeNodeRequest, type NodeRequest, type SeatedBots } from './bot-requests.ts'

const LINES = Array.from({ length: 30 }, (_, index) => ({ id: index + 1, speakerId: 'ada', name: 'Ada', text: 'word '.repeat(100), at: 0 }))
const GLANCE: Glance = { levels: [{ speakerId: 'ada', name: 'Ada', level: 0.5 }], lines: LINES }

const SCREENSHOT = { kind: 'take_screenshot' } as const

/** Workers without bots. */
const NO_BOTS = {
  has: () => false,
  perform: async () => null,
  glance: async () => null,
  leave: async () => false,
  evict: () => undefined,
}

type Asked = { readonly url: string | undefined; readonly authorization: string | undefined; readonly body: NodeRequest }

/** A bot on another node, and the requests that this node gets. */
async function botElsewhere() {
  const { db, drop } = await createTestDatabase()
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString())
    asked.push({ url: request.url, authorization: request.headers.authorization, body })
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
  onTestFinished(async () => {
    await http.close()
    server.close()
    await drop()
  })
  return { botId, asked, requests: createBotRequests({ workers: NO_BOTS, db, ownNodeId: 'node_1', http }) }
}

test('reads the live transcript of a bot on another node, also when it is long', async () => {
  const { botId, asked, requests } = await botElsewhere()
  expect(await requests.glance(botId)).toEqual(GLANCE)
  expect(asked).toEqual([{ url: `/internal/v1/bots/${botId}`, authorization: 'Node a key', body: { kind: 'glance' } }])
})

test('sends a command with its id to the node of the bot', async () => {
  const { botId, asked, requests } = await botElsewhere()
  expect(await requests.perform(botId, 'cmd_1', SCREENSHOT)).toBeNull()
  expect(asked.map(({ body }) => body)).toEqual([{ kind: 'perform', commandId: 'cmd_1', command: SCREENSHOT }])
})

test('gives each command of an older node an id of its own', async () => {
  const ids: string[] = []
  const workers: SeatedBots = {
    ...NO_BOTS,
    perform: async (_botId, commandId) => {
      ids.push(commandId)
      return null
    },
  }
  const node = { workers, succeed: async () => false }
  for (let count = 0; count < 2; count++) await executeNodeRequest(node, 'bot_1' as BotId, { kind: 'perform', command: SCREENSHOT })
  expect(ids).toEqual([expect.stringMatching(/^cmd_/), expect.stringMatching(/^cmd_/)])
  expect(new Set(ids).size).toBe(2)
})

test('passes the request to succeed a bot on with its fence', async () => {
  const asked: unknown[] = []
  const succeed = async (claim: unknown) => asked.push(claim) > 0
  const request = { kind: 'succeed', fence: 3 } as const
  expect(await executeNodeRequest({ workers: NO_BOTS, succeed }, 'bot_1' as BotId, request)).toMatchObject({ succeeds: true })
  expect(asked).toEqual([{ botId: 'bot_1', fence: 3 }])
})
