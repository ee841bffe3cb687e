// Three processes on one database and one bucket: a bot survives the loss of its node with its disk, and the drain of the next one.
import { rm } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { openForFile } from '../../helpers/for-file.ts'
import { ADA, joinRoom, NO_VIDEO, withoutCamera } from '../../helpers/meetings/bot-in-room.ts'
import { CLUSTER_WITHIN_MS, Cluster } from '../../helpers/service/cluster.ts'
import { descendantsOf, hasEnded } from '../../helpers/service/worker-processes.ts'
import { until } from '../../helpers/until.ts'

const LONG_MS = 300_000
const FLEET = { ROLES: 'fleet,media', BOT_WORKERS: '1', DRAIN_SECONDS: '5', UPLOAD_SECONDS: '5' }
/** Sound that the loss of a machine may cost, beside the absence. */
const MOST_LOST_MS = 10_000

const cluster = openForFile(() => Cluster.open(), CLUSTER_WITHIN_MS)

/** The longest part of the recording without a segment. */
async function longestGapMs(id: string): Promise<number> {
  const segments = (await cluster.uploadedSegments(id)).toSorted((a, b) => a.startMs - b.startMs)
  let [reachedMs, longestMs] = [segments[0]?.endMs ?? 0, 0]
  for (const { startMs, endMs } of segments) {
    longestMs = Math.max(longestMs, startMs - reachedMs)
    reachedMs = Math.max(reachedMs, endMs)
  }
  return longestMs
}

/** The longest absence so far. */
async function awayMs(id: string): Promise<number> {
  return Math.max(0, ...(await cluster.absences(id)).map(({ from, to }) => Date.parse(to) - Date.parse(from)))
}

test(
  'keeps one recording when its node dies with its disk, and when the next node drains',
  async () => {
    await cluster.startApi('api,delivery,calendar')
    const first = await cluster.startNode('first', FLEET)
    await joinRoom(`${cluster.url}/room/standup`, withoutCamera(ADA))
    const id = await cluster.send('standup', NO_VIDEO)
    // A busy machine may lose a bot once more.
    const reasons = async () => (await cluster.absences(id)).map(({ reason }) => reason)

    // A machine that dies: its processes, and its disk with the segment that was open.
    await cluster.recordsOn(first, id)
    await until('an open segment is in the bucket', async () => (await cluster.uploadedSegments(id)).some(({ closed }) => !closed), 30_000)
    const second = await cluster.startNode('second', FLEET)
    const uploadedMs = await cluster.uploadedMs(id)
    await until('the node uploads once more', async () => (await cluster.uploadedMs(id)) > uploadedMs, 60_000)
    await cluster.knowEachOther()
    const keptMs = await cluster.uploadedMs(id)
    const workers = descendantsOf(first.pid)
    await first.kill()
    for (const pid of workers) killIfAlive(pid)
    await rm(first.directory, { recursive: true, force: true })
    await cluster.recordsOn(second, id)
    expect(await reasons()).toContain('WorkerLost')
    expect(await longestGapMs(id)).toBeLessThan((await awayMs(id)) + MOST_LOST_MS)

    // A planned stop while no other node has a seat: no new bots, and the running one waits for the next node.
    process.kill(second.pid, 'SIGTERM')
    await until('the node is not ready', async () => (await fetch(`${second.url}/readyz`)).status === 503, 10_000)
    await until('the node has ended', () => hasEnded(second.pid), 60_000)
    await rm(second.directory, { recursive: true, force: true })
    const third = await cluster.startNode('third', FLEET)
    await cluster.recordsOn(third, id)
    expect(await reasons()).toContain('HandedOver')

    const wholeMs = await cluster.uploadedMs(id)
    expect(wholeMs).toBeGreaterThan(keptMs)
    expect((await cluster.api('GET', `/api/v1/bots/${id}/remove_bot`)).status).toBe(200)
    await until('the recording is processed', async () => 'Done' in (await cluster.detail(id)).StatusTimeline, 120_000)
    expect((await cluster.api('GET', `/api/v1/bots/${id}/get_audio`)).body.duration).toBeGreaterThan(wholeMs / 1000 - 2)
  },
  LONG_MS,
)

function killIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended with its parent.
  }
}
