// Two nodes on one database: either one forwards a request to the node that holds the bot.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ADA, NO_VIDEO, Stage, withoutCamera } from '../helpers/meetings/bot-in-room.ts'
import { startTestService, type TestService } from '../helpers/service/service.ts'
import { until } from '../helpers/until.ts'

let stage: Stage
let other: TestService
beforeAll(async () => {
  const holder = await startTestService({ BOT_WORKERS: '1' })
  other = await startTestService({ BOT_WORKERS: '0', DATABASE_URL: holder.databaseUrl })
  stage = new Stage(holder)
})
afterAll(async () => {
  await other?.stop()
  await stage?.service.stop()
})

test('forwards a command and a removal to the node that holds the bot', async () => {
  const ada = (await stage.cast('far', withoutCamera(ADA))).named('Ada')
  const id = await stage.send('far', NO_VIDEO)
  await stage.has(id, 'Recording')
  await until('both nodes say that they live', async () => {
    const rows = await stage.service.db.selectFrom('nodes').select(['seats', 'free_seats']).orderBy('seats').execute()
    return rows.length === 2 && rows[1]?.seats === 4 && rows[1].free_seats === 3
  })
  const said = await other.api('POST', `/api/v1/bots/${id}/send_message`, { message: 'Said from afar.' })
  expect(said).toMatchObject({ status: 200, body: { command: 'send_message' } })
  await until('Ada reads it', () => ada.chat.some(({ text }) => text === 'Said from afar.'), 10_000)
  // The bot's own refusal of a request reaches the caller unchanged.
  expect((await other.api('POST', `/api/v1/bots/${id}/speak`, { text: 'x', voice: 'nobody' })).status).toBe(400)
  expect(await other.api('GET', `/api/v1/bots/${id}/remove_bot`)).toMatchObject({ status: 200 })
  await stage.has(id, 'Stopped')
  expect((await stage.detail(id)).StatusTimeline.Stopped.message).toBe('Removed on request')
}, 90_000)

test('answers 404 to a request between nodes without the node’s key', async () => {
  const ask = (authorization: string) =>
    fetch(`${stage.service.url}/internal/v1/bots/bot_1`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: '{"kind":"evict"}',
    })
  for (const authorization of ['Node wrong', 'Token a-key-for-tests-0123456789']) expect((await ask(authorization)).status).toBe(404)
})
