// After the call, in the real service, killed in every step: every file is right in the end.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openLocalDisk } from '../../src/storage/local-disk.ts'
import { AfterTheCall } from '../helpers/after-the-call.ts'
import { startServiceProcess } from '../helpers/service-process.ts'
import { until } from '../helpers/until.ts'

let bench: AfterTheCall
beforeAll(async () => {
  bench = await AfterTheCall.start()
})
afterAll(() => bench?.stop())

test('killed in every step, the service makes everything once and right', async () => {
  const folder = bench.newDataFolder()
  const store = await openLocalDisk(join(folder, 'objects'))
  const botId = await bench.leftBot(bench.settingsFor(folder), store)
  const output = join(folder, 'work', botId, 'output')
  const media = join(folder, 'objects', 'bots', botId, 'media')
  const count = (where: string, pattern: RegExp) => (existsSync(where) ? readdirSync(where).filter((name) => pattern.test(name)).length : 0)
  const moments: readonly (readonly [string, () => boolean])[] = [
    ['the recording is fetched', () => count(join(folder, 'work', botId, 'recording'), /./) > 0],
    ['the audio is being mixed', () => count(output, /^\.mixed\.m4a/) > 0],
    ['the video is being composed', () => count(join(output, '.pieces-grid_view'), /./) > 0],
    ['the video is there', () => count(output, /^grid_view\.mp4$/) > 0],
    ['the first file is stored', () => count(media, /./) > 0],
    ['most files are stored', () => count(media, /./) > 3],
  ]
  for (const [what, isReached] of moments) {
    await bench.nowDue(botId)
    const service = await startServiceProcess(bench.settingsFor(folder))
    await until(what, async () => isReached() || (await bench.statusOf(botId)) === 'Done', 60_000)
    await service.kill()
    expect(await bench.statusOf(botId), what).not.toBe('Done')
  }
  await bench.nowDue(botId)
  const service = await startServiceProcess(bench.settingsFor(folder))
  await bench.isDone(service, botId)
  expect(await store.list(`bots/${botId}/recording/`)).toEqual([])
  expect(existsSync(join(folder, 'work', botId))).toBe(false)
  await service.stop()
}, 240_000)
