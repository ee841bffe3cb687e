// A node whose database hangs without an error leaves its meetings by its own clock, before another node claims its bots.
import { mkdtemp, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from '../../../sims/room/people.ts'
import { ADA, NO_VIDEO, Stage, withoutCamera } from '../../helpers/bot-in-room.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../../helpers/database-proxy.ts'
import { startTestService, type TestService } from '../../helpers/service.ts'
import { until } from '../../helpers/until.ts'

const LONG_MS = 180_000

let stage: Stage
let proxy: DatabaseProxy
const nodes: TestService[] = []
beforeAll(async () => {
  const front = await startTestService({ BOT_HOSTS: '0', LOG_LEVEL: 'silent' })
  nodes.push(front)
  proxy = await startDatabaseProxy(front.databaseUrl)
  stage = new Stage(front, await launchBrowser())
  await startNode(proxy.url)
})
afterAll(async () => {
  await stage?.browser.close()
  await proxy?.resume()
  for (const node of nodes.toReversed()) await node.stop()
  await proxy?.stop()
})

/** Another node that launches bots, on the same object store. */
async function startNode(databaseUrl: string): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'emissary-node-'))
  await symlink(join(stage.service.directory, 'objects'), join(directory, 'objects'))
  const settings = { BOT_HOSTS: '1', DATABASE_URL: databaseUrl, DATA_DIR: directory, LOG_LEVEL: 'silent' }
  nodes.push(await startTestService(settings))
}

test(
  'never has one bot in a meeting twice, and continues its recording on the other node',
  async () => {
    const ada = (await stage.cast('frozen', withoutCamera(ADA))).named('Ada')
    const id = await stage.send('frozen', { bot_name: 'Scribe', ...NO_VIDEO })
    await stage.has(id, 'Recording', 60_000)
    await ada.page.evaluate(`{
      window.mostScribes = 0
      window.addEventListener('emissary-room', () => {
        const scribes = window.emissaryRoom.people.filter(({ name }) => name === 'Scribe')
        window.mostScribes = Math.max(window.mostScribes, scribes.length)
      })
    }`)
    await startNode(stage.service.databaseUrl)
    proxy.freeze()
    await until('the bot is back', async () => 'Rejoined' in (await stage.detail(id)).StatusTimeline, 90_000)
    expect(await ada.page.evaluate('window.mostScribes')).toBe(1)
    const { Status, Absences } = await stage.detail(id)
    expect([Status, Absences]).toEqual([
      'InMeeting',
      [{ from: expect.any(String), to: expect.any(String), reason: expect.stringMatching(/^(WorkerLost|DatabaseUnreachable)$/) }],
    ])

    // The first node returns with reports and a recording of its own. Neither replaces newer data.
    await proxy.resume()
    await stage.remove(id)
    expect(await ada.page.evaluate('window.mostScribes')).toBe(1)
    await until('the audio is ready', async () => (await stage.read(id, 'get_audio')).duration !== undefined, 120_000)
    const { StatusTimeline } = await stage.detail(id)
    const seconds = (Date.parse(StatusTimeline.Leaving.timestamp) - Date.parse(StatusTimeline.Recording.timestamp)) / 1000
    expect((await stage.read(id, 'get_audio')).duration).toBeGreaterThan(seconds - 2)
  },
  LONG_MS,
)
