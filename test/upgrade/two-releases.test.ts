// Processes of the previous release and of this one on one database and one bucket: an upgrade, and one that is taken back.
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { startReceiver } from '../helpers/callers/receiver.ts'
import { openForFile } from '../helpers/for-file.ts'
import { ADA, joinRoom, NO_VIDEO, withoutCamera } from '../helpers/meetings/bot-in-room.ts'
import { PREVIOUS_RELEASE } from '../helpers/scale.ts'
import { CLUSTER_WITHIN_MS, Cluster, type ClusterNode } from '../helpers/service/cluster.ts'
import { API_KEY, clientOf } from '../helpers/service/service.ts'
import { until } from '../helpers/until.ts'

const PREVIOUS = resolve(PREVIOUS_RELEASE ?? '')
// The name that the release before knows too.
const FLEET = { ROLES: 'fleet,media', BOT_HOSTS: '1', DRAIN_SECONDS: '5' }

const cluster = openForFile(() => Cluster.open({ isEmpty: true }), CLUSTER_WITHIN_MS)
const hook = openForFile(startReceiver, CLUSTER_WITHIN_MS)

/** The room is in the API process of the previous release, which stays. */
async function sendBot(room: string): Promise<string> {
  await joinRoom(`${cluster.url}/room/${room}`, withoutCamera(ADA))
  return cluster.send(room, { ...NO_VIDEO, callback_url: hook.url })
}

/** SIGTERM: the node hands its bot over and ends. */
async function drain(node: ClusterNode): Promise<void> {
  process.kill(node.pid, 'SIGTERM')
  await until(
    'the node has drained',
    () =>
      fetch(`${node.url}/healthz`).then(
        () => false,
        () => true,
      ),
    90_000,
  )
}

const migrations = async () =>
  (
    await cluster.database.db
      .selectFrom('migrations' as never)
      .selectAll()
      .execute()
  ).length

test('moves a running bot from release to release, forward and back, and keeps one recording', async () => {
  await cluster.startApi('api,delivery,calendar', PREVIOUS)
  const before = await cluster.startNode('before', FLEET, PREVIOUS)
  const id = await sendBot('standup')
  await cluster.recordsOn(before, id)
  const oldSchema = await migrations()

  // The first process of this release migrates the database under the running bot.
  const after = await cluster.startNode('after', { ...FLEET, ROLES: 'api,delivery,fleet,media' })
  console.info(`${(await migrations()) - oldSchema} migrations were applied beside the previous release`)
  await cluster.recordsOn(before, id)
  expect(await cluster.absences(id)).toEqual([])

  await drain(before)
  await cluster.recordsOn(after, id)
  // The API of either release shows it.
  const { body } = await clientOf(after.url, API_KEY)('GET', `/api/v1/bots/${id}/detail`)
  expect(body.bot_details).toMatchObject({ Status: 'InMeeting', Absences: await cluster.absences(id) })

  // The upgrade is taken back: a process of the previous release starts on the migrated database.
  const again = await cluster.startNode('again', FLEET, PREVIOUS)
  await drain(after)
  await cluster.recordsOn(again, id)

  // And a process of this release replaces one that dies.
  const last = await cluster.startNode('last', { ...FLEET, ROLES: 'api,delivery,fleet,media' })
  await again.kill()
  await cluster.recordsOn(last, id)
  expect((await cluster.absences(id)).map(({ reason }) => reason)).toEqual(['HandedOver', 'HandedOver', 'WorkerLost'])

  const wholeMs = await cluster.uploadedMs(id)
  const current = clientOf(last.url, API_KEY)
  expect((await current('GET', `/api/v1/bots/${id}/remove_bot`)).status).toBe(200)
  await until('the recording is processed', async () => 'Done' in (await cluster.detail(id)).StatusTimeline, 180_000)
  expect((await current('GET', `/api/v1/bots/${id}/get_audio`)).body.duration).toBeGreaterThan(wholeMs / 1000 - 2)
  await cluster.expectEvents(hook, id)
})
