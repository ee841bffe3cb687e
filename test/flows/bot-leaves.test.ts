// A bot leaves by itself, by each rule that a caller may set, and tells the truth about a meeting that is lost.
import { createServer, connect as dial, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { launchBrowser } from '../../sims/people.ts'
import type { LeaveRules } from '../../src/domain/automatic-leave.ts'
import { ADA, Stage } from '../helpers/bot-in-room.ts'
import { startTestService, WITH_BOTS } from '../helpers/service.ts'
import { until } from '../helpers/until.ts'

const LONG_MS = 120_000

let stage: Stage
beforeAll(async () => {
  stage = new Stage(await startTestService(WITH_BOTS), await launchBrowser())
})
afterAll(async () => {
  await stage?.browser.close()
  await stage?.service.stop()
})

/** A bot with waits that are shorter than a caller may ask for: a test cannot wait for minutes. */
async function impatient(room: string, leave: Partial<LeaveRules>, body: object = {}): Promise<string> {
  const id = await stage.send(room, { join_at: new Date(Date.now() + 3_600_000).toISOString(), ...body })
  const { db } = stage.service
  const { spec } = await db.selectFrom('bots').select('spec').where('id', '=', id).executeTakeFirstOrThrow()
  const changed = JSON.stringify({ ...spec, leave: { ...spec.leave, ...leave } })
  await db.updateTable('bots').set({ spec: changed, launch_at: new Date() }).where('id', '=', id).execute()
  return id
}

const stopped = async (id: string): Promise<string> => {
  await stage.has(id, 'Stopped')
  return (await stage.detail(id)).StatusTimeline.Stopped.message
}

test(
  'when everyone has left, when nobody comes, when the call is too long',
  async () => {
    const ada = (await stage.cast('left-alone', ADA)).named('Ada')
    const [leftAlone, empty, long] = await Promise.all([
      impatient('left-alone', { everyoneLeftSeconds: 3 }),
      impatient('nobody-comes', { nobodyJoinedSeconds: 3 }),
      impatient('too-long', { longestCallSeconds: 4 }),
    ])
    await stage.has(leftAlone, 'Recording')
    await until('the bot sees Ada', async () => (await stage.read(leftAlone, 'get_participants')).length === 1, 10_000)
    await ada.closeTab()
    expect(await stopped(leftAlone)).toBe('Everyone else has been gone for 3 s')
    expect(await stopped(empty)).toBe('Nobody else joined within 3 s')
    expect(await stopped(long)).toBe('The call reached its longest recording time of 4 s')
  },
  LONG_MS,
)

test(
  'when nobody speaks, and when only bots are left',
  async () => {
    const ada = (await stage.cast('silence', ADA)).named('Ada')
    await ada.mute()
    await stage.cast('bots-only', { ...ADA, name: 'Another Notetaker' })
    const onlyBots = { matches: ['notetaker'], activateAfterSeconds: 3, timeoutSeconds: 2 }
    const [silent, surrounded] = await Promise.all([impatient('silence', { silenceSeconds: 4 }), impatient('bots-only', { onlyBots })])
    expect(await stopped(silent)).toBe('Nobody has spoken for 4 s')
    expect(await stopped(surrounded)).toBe('Only bots are left in the meeting')
  },
  LONG_MS,
)

test(
  'a meeting whose connection is lost for good ends as Error, with ConnectionLost and the evidence',
  async () => {
    // The room is reached through a door that can be shut, while the service itself stays reachable.
    const sockets = new Set<Socket>()
    let port = 0
    const door = createServer((inward) => {
      const outward = dial(port, '127.0.0.1')
      for (const socket of [inward, outward]) sockets.add(socket.on('error', () => undefined))
      inward.pipe(outward).pipe(inward)
    })
    await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve))
    const address = door.address()
    if (typeof address !== 'object' || !address) throw new Error('the door has no address')
    const service = await startTestService({ ...WITH_BOTS, PUBLIC_URL: `http://127.0.0.1:${address.port}` })
    onTestFinished(() => service.stop())
    port = Number(new URL(service.url).port)
    const behind = new Stage(service, stage.browser)
    const made = await service.api('POST', '/api/v1/bots/create_bot', { meeting_link: `http://127.0.0.1:${address.port}/room/behind` })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    const { bot_id: id } = made.body
    await behind.has(id, 'Recording')
    door.close()
    for (const socket of sockets) socket.destroy()
    await until('the bot gives up', async () => 'Error' in (await behind.detail(id)).StatusTimeline, 90_000)
    const detail = await behind.detail(id)
    expect(detail).toMatchObject({
      ErrorReason: 'ConnectionLost',
      StatusTimeline: { Error: { message: 'Error: The connection to the meeting was lost' } },
    })
    expect(detail.Evidence.at(-1)).toMatchObject({
      step: 'stay',
      page_text: expect.any(String),
      screenshot: expect.stringContaining('/media/'),
    })
  },
  LONG_MS,
)
