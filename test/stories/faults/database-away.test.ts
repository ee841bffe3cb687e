// The database answers no node for longer than two lease times: bots stay, and what happened meanwhile is written in order afterwards.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startReceiver } from '../../helpers/callers/receiver.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { readRecording } from '../../helpers/media/recording.ts'
import { ADA, BEN, joinRoom, NO_VIDEO, withoutCamera } from '../../helpers/meetings/bot-in-room.ts'
import { scaled } from '../../helpers/scale.ts'
import { CLUSTER_WITHIN_MS, Cluster, type ClusterNode } from '../../helpers/service/cluster.ts'
import { startDatabaseProxy } from '../../helpers/service/database-proxy.ts'
import { until } from '../../helpers/until.ts'

const LONG_MS = 300_000
/** A failover takes 10 to 60 s. Two lease times are 15 s. */
const OUTAGE_MS = scaled({ all: 60_000, gate: 20_000 })
const SETTINGS = { BOT_WORKERS: '1', DATABASE_TIMEOUT_SECONDS: '2', LOG_LEVEL: 'warn' }

const hook = openForFile(startReceiver)

/** The length of what the nodes have on their disks of the bot's recording. */
function recordedMs(nodes: readonly ClusterNode[], id: string): number {
  const folders = nodes.map(({ directory }) => join(directory, 'recordings', id)).filter(existsSync)
  const segments = folders.flatMap((it) => readRecording(it).tracks.flatMap((track) => track.segments))
  return Math.max(0, ...segments.map(({ endMs }) => endMs))
}

test.each([
  { fleet: 'a fleet of one node', others: [] },
  { fleet: 'a fleet of three nodes', others: ['second', 'third'] },
])(
  'keeps bots, chat and events in order while $fleet reaches no database',
  async ({ others }) => {
    const cluster = await Cluster.open()
    onTestFinished(() => cluster.close())
    const proxy = await startDatabaseProxy(cluster.database.url)
    onTestFinished(() => proxy.stop())
    const settings = { ...SETTINGS, DATABASE_URL: proxy.url }
    const nodes = [
      await cluster.startNode('first', { ...settings, ROLES: 'api,fleet,media,delivery,calendar', PORT: new URL(cluster.url).port }),
    ]
    for (const name of others) nodes.push(await cluster.startNode(name, { ...settings, ROLES: 'fleet,media' }))
    const { people } = await joinRoom(`${cluster.url}/room/standup`, withoutCamera(ADA), withoutCamera(BEN))
    const [ada, ben] = people
    const ids: string[] = []
    for (const _ of nodes) ids.push(await cluster.send('standup', { ...NO_VIDEO, callback_url: `${hook.url}/hook` }))
    const first = ids[0] ?? ''
    const recorded = () => Math.min(...ids.map((id) => recordedMs(nodes, id)))
    await until('all bots record', () => recorded() > 1_000, 90_000)
    await cluster.knowEachOther()

    proxy.freeze()
    const before = recorded()
    await until('the service is not ready', async () => (await fetch(`${cluster.url}/readyz`)).status === 503, 20_000)
    ada?.write('first words')
    await until('the outage lasts longer than a lease', () => recorded() > before + OUTAGE_MS / 2, OUTAGE_MS * 2)
    ada?.write('second words')
    await ben?.leave()
    await until('the outage lasts longer than two leases', () => recorded() > before + OUTAGE_MS, OUTAGE_MS * 2)
    await proxy.resume()

    await until('the service is ready', async () => (await fetch(`${cluster.url}/readyz`)).ok, 60_000)
    const chat = async () => (await cluster.api('GET', `/api/v1/bots/${first}/get_chats`)).body.chatMessages ?? []
    await until('the chat is written', async () => (await chat()).length >= 2, 60_000)
    expect((await chat()).map(({ text }: { text: string }) => text)).toEqual(['first words', 'second words'])
    const back = recorded()
    await until('leases that were not renewed would have ended', () => recorded() > back + 12_000, 60_000)
    for (const id of ids) {
      const { Status, Absences } = await cluster.detail(id)
      const { fence } = await cluster.database.db.selectFrom('bots').select('fence').where('id', '=', id).executeTakeFirstOrThrow()
      const gaps = nodes
        .map(({ directory }) => join(directory, 'recordings', id))
        .filter(existsSync)
        .flatMap((it) => readRecording(it).facts.filter(({ fact }) => fact === 'gap'))
      expect({ Status, Absences, fence, gaps }).toEqual({ Status: 'InMeeting', Absences: [], fence: 1, gaps: [] })
    }
    for (const id of ids) expect((await cluster.api('GET', `/api/v1/bots/${id}/remove_bot`)).status).toBe(200)
    for (const id of ids) {
      await until('the recording is processed', async () => 'Done' in (await cluster.detail(id)).StatusTimeline, 120_000)
      await cluster.expectEvents(hook, id)
    }
  },
  LONG_MS + CLUSTER_WITHIN_MS,
)
