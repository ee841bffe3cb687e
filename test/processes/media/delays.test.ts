// Post-call media in the real service with a full disk and a hanging store: the work is delayed and every file is complete.
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { test } from 'vitest'
import { openLocalDisk } from '../../../src/storage/local-disk.ts'
import { openS3 } from '../../../src/storage/s3.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { MediaBacklog } from '../../helpers/media/media-backlog.ts'
import { SWIFT_WITHIN_MS, startSwift } from '../../helpers/service/s3-server.ts'
import { startServiceProcess } from '../../helpers/service/service-process.ts'
import { startOnSmallDisk } from '../../helpers/service/small-disk.ts'
import { until } from '../../helpers/until.ts'

const backlog = openForFile(() => MediaBacklog.start(), SWIFT_WITHIN_MS)
const swift = openForFile(startSwift, SWIFT_WITHIN_MS)

test('delays a recording while the disk is full and completes it later', async () => {
  const folder = backlog.newDataFolder()
  const store = await openLocalDisk(join(folder, 'objects'))
  const botId = await backlog.endedBot(backlog.settingsFor(folder), store)
  await backlog.makeDue(botId)
  const work = join(folder, 'work')
  mkdirSync(work)
  const service = await startOnSmallDisk(backlog.settingsFor(folder), work, '120k')
  const isDelayed = async () => {
    const row = await backlog.db
      .selectFrom('bots')
      .select(['process_at', 'process_tries'])
      .where('id', '=', botId)
      .executeTakeFirstOrThrow()
    return service.said().includes('recording delayed') && row.process_tries === 0
  }
  await until('the recording is delayed by the full disk', isDelayed, 60_000)
  service.grow('200m')
  await backlog.makeDue(botId)
  await backlog.isDone(service, botId)
  await service.stop()
}, 180_000)

test('delays a recording while the store hangs or refuses connections and completes it later', async () => {
  const bucket = await swift.bucket()
  const proxy = await startProxy(Number(new URL(swift.endpoint).port))
  const settings = {
    ...backlog.settingsFor(backlog.newDataFolder()),
    S3_BUCKET: bucket.bucket,
    S3_ENDPOINT: proxy.url,
    S3_REGION: bucket.region,
    S3_TIMEOUT_SECONDS: '1',
    LOG_LEVEL: 'warn',
    S3_ACCESS_KEY_ID: bucket.credentials?.accessKeyId ?? '',
    S3_SECRET_ACCESS_KEY: bucket.credentials?.secretAccessKey ?? '',
  }
  const store = openS3(bucket)
  const botId = await backlog.endedBot(settings, store)
  const service = await startServiceProcess(settings)
  const delays = () => service.said().split('recording delayed').length - 1

  proxy.state = 'hangs'
  await backlog.makeDue(botId)
  await until('the recording is delayed by the hanging store', () => delays() === 1, 60_000)
  proxy.state = 'refuses'
  await backlog.makeDue(botId)
  await until('the recording is delayed by the refusing store', () => delays() === 2, 60_000)
  proxy.state = 'works'
  await backlog.makeDue(botId)
  await until('the first file is stored', async () => (await store.list(`bots/${botId}/media/`)).length > 0, 60_000)
  proxy.state = 'hangs'
  await until('the recording is delayed again after its first file', () => delays() === 3, 60_000)
  proxy.state = 'works'
  await backlog.makeDue(botId)
  await backlog.isDone(service, botId)
  await service.stop()
  proxy.close()
}, 240_000)

type Proxy = { state: 'works' | 'hangs' | 'refuses'; readonly url: string; close(): void }

/** A TCP proxy to the store that can refuse connections or stop forwarding. */
async function startProxy(port: number): Promise<Proxy> {
  const open = new Set<Socket>()
  let state: Proxy['state'] = 'works'
  const server: Server = createServer((caller) => {
    open.add(caller)
    caller.on('error', () => undefined).on('close', () => open.delete(caller))
    if (state === 'refuses') caller.destroy()
    if (state !== 'works') return
    const store = connect(port, '127.0.0.1').on('error', () => caller.destroy())
    caller
      .on('close', () => store.destroy())
      .pipe(store)
      .pipe(caller)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    get state() {
      return state
    },
    set state(next) {
      state = next
      for (const caller of open) next === 'hangs' ? caller.unpipe() : caller.destroy()
    },
    close: () => void server.close(),
  }
}
