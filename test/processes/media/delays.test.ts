// After the call, in the real service, with a full disk, and with a store that hangs: every file is right in the end.
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
import { openLocalDisk } from '../../../src/storage/local-disk.ts'
import { openS3 } from '../../../src/storage/s3.ts'
import { AfterTheCall } from '../../helpers/after-the-call.ts'
import { startServiceProcess } from '../../helpers/service-process.ts'
import { startOnSmallDisk } from '../../helpers/small-disk.ts'
import { SWIFT_WITHIN_MS, type Swift, startSwift } from '../../helpers/swift.ts'
import { until } from '../../helpers/until.ts'

let bench: AfterTheCall
let swift: Swift
beforeAll(async () => {
  bench = await AfterTheCall.start()
  swift = await startSwift()
}, SWIFT_WITHIN_MS)
afterAll(async () => {
  await swift?.stop()
  await bench?.stop()
})

test('a full disk delays, and loses nothing', async () => {
  const folder = bench.newDataFolder()
  const store = await openLocalDisk(join(folder, 'objects'))
  const botId = await bench.leftBot(bench.settingsFor(folder), store)
  await bench.nowDue(botId)
  const work = join(folder, 'work')
  mkdirSync(work)
  const service = await startOnSmallDisk(bench.settingsFor(folder), work, '120k')
  const isDelayed = async () => {
    const row = await bench.db.selectFrom('bots').select(['process_at', 'process_tries']).where('id', '=', botId).executeTakeFirstOrThrow()
    return service.said().includes('waits until it can be processed') && row.process_tries === 0
  }
  await until('it waits for room', isDelayed, 60_000)
  service.grow('200m')
  await bench.nowDue(botId)
  await bench.isDone(service, botId)
  await service.stop()
}, 180_000)

test('a store that hangs, or is gone, delays, and loses nothing', async () => {
  const bucket = await swift.bucket()
  const line = await startLine(Number(new URL(swift.endpoint).port))
  const settings = {
    ...bench.settingsFor(bench.newDataFolder()),
    ...{ S3_BUCKET: bucket.bucket, S3_ENDPOINT: line.url, S3_REGION: bucket.region, S3_TIMEOUT_SECONDS: '1', LOG_LEVEL: 'warn' },
    ...{ S3_ACCESS_KEY_ID: bucket.credentials?.accessKeyId ?? '', S3_SECRET_ACCESS_KEY: bucket.credentials?.secretAccessKey ?? '' },
  }
  const store = openS3(bucket)
  const botId = await bench.leftBot(settings, store)
  const service = await startServiceProcess(settings)
  const delays = () => service.said().split('waits until it can be processed').length - 1

  line.state = 'hangs'
  await bench.nowDue(botId)
  await until('a hanging store is given up for now', () => delays() === 1, 60_000)
  line.state = 'refuses'
  await bench.nowDue(botId)
  await until('an absent store is given up for now', () => delays() === 2, 60_000)
  line.state = 'works'
  await bench.nowDue(botId)
  await until('the first file is stored', async () => (await store.list(`bots/${botId}/media/`)).length > 0, 60_000)
  line.state = 'hangs'
  await until('it hangs again, in the middle', () => delays() === 3, 60_000)
  line.state = 'works'
  await bench.nowDue(botId)
  await bench.isDone(service, botId)
  await service.stop()
  line.close()
}, 240_000)

type Line = { state: 'works' | 'hangs' | 'refuses'; readonly url: string; close(): void }

/** A line to the store that can be cut, or go dead with everything that is under way. */
async function startLine(port: number): Promise<Line> {
  const open = new Set<Socket>()
  let state: Line['state'] = 'works'
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
