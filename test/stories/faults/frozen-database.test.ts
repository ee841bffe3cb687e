// A node whose database hangs without an error leaves its meetings by its own clock, before another node claims its bots.
import { mkdtemp, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ADA, NO_VIDEO, Stage, withoutCamera } from '../../helpers/meetings/bot-in-room.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../../helpers/service/database-proxy.ts'
import { startTestService, type TestService } from '../../helpers/service/service.ts'
import { until } from '../../helpers/until.ts'

const LONG_MS = 300_000

let stage: Stage
let proxy: DatabaseProxy
const nodes: TestService[] = []
beforeAll(async () => {
  const front = await startTestService({ BOT_WORKERS: '0', LOG_LEVEL: 'silent' })
  nodes.push(front)
  proxy = await startDatabaseProxy(front.databaseUrl)
  stage = new Stage(front)
  await startNode(proxy.url)
})
afterAll(async () => {
  await proxy?.resume()
  for (const node of nodes.toReversed()) await node.stop()
  await proxy?.stop()
})

/** Another node that launches bots, on the same object store. */
async function startNode(databaseUrl: string): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'emissary-node-'))
  await symlink(join(stage.service.directory, 'objects'), join(directory, 'objects'))
  const settings = { BOT_WORKERS: '1', DATABASE_URL: databaseUrl, DATA_DIR: directory, LOG_LEVEL: 'silent' }
  nodes.push(await startTestService(settings))
}

test(
  'never has one bot in a meeting twice, and continues its recording on the other node',
  async () => {
    const ada = (await stage.cast('frozen', withoutCamera(ADA))).named('Ada')
    const id = await stage.send('frozen', { bot_name: 'Scribe', ...NO_VIDEO })
    await stage.has(id, 'Recording', 90_000)
    const mostScribes = () => Math.max(...ada.rosters.map((people) => people.filter(({ name }) => name === 'Scribe').length))
    await startNode(stage.service.databaseUrl)
    proxy.freeze()
    await until('the bot is back', async () => 'Rejoined' in (await stage.detail(id)).StatusTimeline, 90_000)
    expect(mostScribes()).toBe(1)
    const { Status, Absences } = await stage.detail(id)
    const [absence, ...others] = Absences
    expect([Status, absence]).toEqual([
      'InMeeting',
      { from: expect.any(String), to: expect.any(String), reason: expect.stringMatching(/^(WorkerLost|DatabaseUnreachable)$/) },
    ])
    // On a machine that is busy with other suites the processes of a bot may not run for seconds.
    expect(others.map((it: { reason: string }) => it.reason).filter((reason: string) => reason !== 'Paused')).toEqual([])

    // The first node returns with reports and a recording of its own. Neither replaces newer data.
    await proxy.resume()
    await stage.remove(id)
    expect(mostScribes()).toBe(1)
    await until('the audio is ready', async () => (await stage.read(id, 'get_audio')).duration !== undefined, 120_000)
    const { StatusTimeline } = await stage.detail(id)
    const seconds = (Date.parse(StatusTimeline.Leaving.timestamp) - Date.parse(StatusTimeline.Recording.timestamp)) / 1000
    expect((await stage.read(id, 'get_audio')).duration).toBeGreaterThan(seconds - 2)
  },
  LONG_MS,
)
