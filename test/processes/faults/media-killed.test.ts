// Post-call processing in the real service, killed in every step: every file is complete in the end.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openLocalDisk } from '../../../src/storage/local-disk.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { MediaBacklog } from '../../helpers/media/media-backlog.ts'
import { startServiceProcess } from '../../helpers/service/service-process.ts'
import { until } from '../../helpers/until.ts'

const bench = openForFile(() => MediaBacklog.start())

test('makes every file once when the service is killed in every step', async () => {
  const folder = bench.newDataFolder()
  const store = await openLocalDisk(join(folder, 'objects'))
  const botId = await bench.endedBot(bench.settingsFor(folder), store)
  const output = join(folder, 'work', botId, 'output')
  const media = join(folder, 'objects', 'bots', botId, 'media')
  const count = (where: string, pattern: RegExp) => (existsSync(where) ? readdirSync(where).filter((name) => pattern.test(name)).length : 0)
  const moments: readonly (readonly [string, () => boolean])[] = [
    ['the recording is fetched', () => count(join(folder, 'work', botId, 'recording'), /./) > 0],
    ['the audio is being mixed', () => count(output, /^\.mixed\.m4a/) > 0],
    ['the video is being composed', () => count(join(output, '.pieces-grid_view'), /./) > 0],
    // Once the video is complete, little is left to be done, because the other files are stored meanwhile.
    ['the video is being completed', () => count(output, /^\.grid_view\.mp4/) > 0],
    ['the first file is stored', () => count(media, /./) > 0],
    ['most files are stored', () => count(media, /./) > 3],
  ]
  for (const [moment, isReached] of moments) {
    await bench.makeDue(botId)
    const service = await startServiceProcess(bench.settingsFor(folder))
    await until(moment, async () => isReached() || (await bench.statusOf(botId)) === 'Done', 60_000)
    await service.kill()
    expect(await bench.statusOf(botId), moment).not.toBe('Done')
    // Each kill is another's fault. After five of its own a recording is given up.
    await bench.forgetKills(botId)
  }
  await bench.makeDue(botId)
  const service = await startServiceProcess(bench.settingsFor(folder))
  await bench.isDone(service, botId)
  expect(await store.list(`bots/${botId}/recording/`)).toEqual([])
  expect(existsSync(join(folder, 'work', botId))).toBe(false)
  await service.stop()
}, 240_000)
