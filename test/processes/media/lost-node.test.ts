// A media node is killed while it makes a video: the next node takes the pieces that are in the store.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { unpackBundle } from '../../../src/storage/bundle.ts'
import { openLocalDisk } from '../../../src/storage/local-disk.ts'
import { isPiecesKey, recordingPrefix } from '../../../src/storage/store.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { MediaBacklog } from '../../helpers/media/media-backlog.ts'
import { startServiceProcess } from '../../helpers/service/service-process.ts'
import { until } from '../../helpers/until.ts'

const backlog = openForFile(() => MediaBacklog.start())

/** Each ends a piece and begins another one. */
const PAUSES = [6_200, 6_600, 7_000, 7_400, 7_800, 8_200].flatMap((atMs) => [
  { fact: 'paused', atMs } as const,
  { fact: 'resumed', atMs: atMs + 200 } as const,
])

/** Settings of a node with a disk of its own, and the folder in which its ffmpeg notes the names of the pieces that it encodes. */
function newNode(objects: string) {
  const folder = backlog.newDataFolder()
  symlinkSync(objects, join(folder, 'objects'))
  const programs = join(folder, 'programs')
  const encoded = join(folder, 'encoded')
  mkdirSync(programs)
  mkdirSync(encoded)
  const note = `case "$target" in */.piece-*) touch "${encoded}/$(basename "$target")";; esac`
  const script = `#!/bin/sh\nfor target; do :; done\n${note}\nPATH="${process.env.PATH}" exec ffmpeg "$@"\n`
  writeFileSync(join(programs, 'ffmpeg'), script)
  chmodSync(join(programs, 'ffmpeg'), 0o755)
  return { settings: { ...backlog.settingsFor(folder), PATH: `${programs}${delimiter}${process.env.PATH}` }, encoded }
}

test('continues the video of a killed node without encoding its stored pieces again', { timeout: 240_000 }, async () => {
  const objects = join(backlog.newDataFolder(), 'objects')
  const store = await openLocalDisk(objects)
  const [lost, next] = [newNode(objects), newNode(objects)]
  const botId = await backlog.endedBot(lost.settings, store, PAUSES)
  const first = await startServiceProcess(lost.settings)
  await backlog.makeDue(botId)
  const folder = join(objects, recordingPrefix(botId))
  const stored = () => (existsSync(folder) ? readdirSync(folder).filter(isPiecesKey) : [])
  await until('a piece is stored', () => stored().length > 0, 60_000)
  await first.kill()
  const pieces = stored().flatMap((name) => unpackBundle(readFileSync(join(folder, name))).parts.map(({ file }) => `.${file}.part`))
  expect(pieces.filter((name) => readdirSync(lost.encoded).includes(name))).not.toEqual([])

  const second = await startServiceProcess(next.settings)
  await backlog.makeDue(botId)
  await until('it is done', async () => (await backlog.statusOf(botId)) === 'Done', 60_000)
  await backlog.hasFiles(second, botId)
  const again = readdirSync(next.encoded)
  expect(again).not.toEqual([])
  expect(again.filter((name) => pieces.includes(name))).toEqual([])
  expect(stored()).toEqual([])
  await second.stop()
})
