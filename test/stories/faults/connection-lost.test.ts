// A bot whose connection to the meeting is lost for good gives up after a minute.
import { createServer, connect as dial, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { NO_VIDEO } from '../../helpers/meetings/bot-in-room.ts'
import { startTestService, WITH_BOTS } from '../../helpers/service/service.ts'
import { until } from '../../helpers/until.ts'

/** A TCP proxy to a port of this machine. `shut` closes it and all its connections. */
async function openDoor() {
  const sockets = new Set<Socket>()
  let port = 0
  const door = createServer((inward) => {
    const outward = dial(port, '127.0.0.1')
    for (const socket of [inward, outward]) sockets.add(socket.on('error', () => undefined))
    inward.pipe(outward).pipe(inward)
  })
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve))
  const address = door.address()
  if (typeof address !== 'object' || !address) throw new Error('the proxy has no address')
  return {
    url: `http://127.0.0.1:${address.port}`,
    leadsTo: (url: string) => {
      port = Number(new URL(url).port)
    },
    shut() {
      door.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

test('ends as Error with ConnectionLost and evidence when the connection is lost for good', { timeout: 180_000 }, async () => {
  // The bot reaches the room through the proxy, and the service directly.
  const door = await openDoor()
  const service = await startTestService({ ...WITH_BOTS, PUBLIC_URL: door.url })
  onTestFinished(() => service.stop())
  door.leadsTo(service.url)
  const made = await service.api('POST', '/api/v1/bots/create_bot', {
    meeting_link: `${door.url}/room/behind`,
    ...NO_VIDEO,
  })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  const detail = async () => (await service.api('GET', `/api/v1/bots/${made.body.bot_id}/detail`)).body.bot_details
  await until('the bot records', async () => 'Recording' in (await detail()).StatusTimeline, 60_000)
  door.shut()
  await until('the bot gives up', async () => 'Error' in (await detail()).StatusTimeline, 90_000)
  const bot = await detail()
  expect(bot).toMatchObject({
    ErrorReason: 'ConnectionLost',
    StatusTimeline: { Error: { message: 'Error: The connection to the meeting was lost' } },
  })
  expect(bot.Evidence.at(-1)).toMatchObject({
    step: 'stay',
    page_text: expect.any(String),
    screenshot: expect.stringContaining('/media/'),
  })
})
