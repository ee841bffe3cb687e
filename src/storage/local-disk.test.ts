import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../../test/helpers/until.ts'
import { openLocalDisk } from './local-disk.ts'

const KEY = 'bots/bot_1/screenshots/1.jpg'
const JPEG = { contentType: 'image/jpeg' } as const

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'emissary-disk-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

const drafts = (folder: string) => readdir(join(folder, '.writing'))

/** A process that has written half an object and never ends. */
const WRITER = `
  import { PassThrough } from 'node:stream'
  const { openLocalDisk } = await import(process.argv[1])
  const store = await openLocalDisk(process.argv[2])
  const source = new PassThrough()
  source.write('half')
  setInterval(() => undefined, 1_000)
  await store.put('${KEY}', source, { contentType: 'image/jpeg' })`

test('removes the draft of a killed process at the next start', async () => {
  const folder = await emptyFolder()
  const program = new URL('local-disk.ts', import.meta.url).href
  const writer = spawn(process.execPath, ['--input-type=module', '-e', WRITER, program, folder], { stdio: 'inherit' })
  onTestFinished(() => void writer.kill('SIGKILL'))
  const size = async () => {
    const [name = ''] = await drafts(folder)
    return (await stat(join(folder, '.writing', name))).size
  }
  await until('half of it is on the disk', async () => (await size()) === 4, 20_000)
  // A service that starts meanwhile keeps the draft of a running process.
  await openLocalDisk(folder)
  expect(await drafts(folder)).toHaveLength(1)

  writer.kill('SIGKILL')
  await once(writer, 'exit')
  expect(await drafts(folder)).toHaveLength(1)
  const store = await openLocalDisk(folder)
  expect(await drafts(folder)).toEqual([])
  expect([await store.get(KEY), await store.list('bots/')]).toEqual([null, []])
})

test('removes drafts of another machine only after a day', async () => {
  const folder = await emptyFolder()
  await openLocalDisk(folder)
  for (const name of ['elsewhere~1~fresh', 'elsewhere~1~old', `${hostname()}~${process.pid}~earlier-life`]) {
    await writeFile(join(folder, '.writing', name), 'half')
  }
  const yesterday = new Date(Date.now() - 25 * 60 * 60_000)
  await utimes(join(folder, '.writing', 'elsewhere~1~old'), yesterday, yesterday)
  await openLocalDisk(folder)
  expect(await drafts(folder)).toEqual(['elsewhere~1~fresh'])
})

test('leaves no draft after a write and removes empty folders with the last object', async () => {
  const folder = await emptyFolder()
  const store = await openLocalDisk(folder)
  await store.put(KEY, Buffer.from('x'), JPEG)
  expect(await drafts(folder)).toEqual([])
  expect((await stat(join(folder, KEY))).mode & 0o777).toBe(0o600)
  await store.remove([KEY])
  await expect(access(join(folder, 'bots'))).rejects.toThrow('ENOENT')
  await access(folder)
})

test('keeps objects that are written while the last object of their folder is removed', async () => {
  const store = await openLocalDisk(await emptyFolder())
  const comeAndGo = async (name: number) => {
    const key = `bots/bot_1/screenshots/${name}.jpg`
    for (let round = 0; round < 60; round += 1) {
      await store.put(key, Buffer.from(key), JPEG)
      expect(await store.remove([key])).toBe(1)
    }
    await store.put(key, Buffer.from(key), JPEG)
  }
  await Promise.all([1, 2, 3].map(comeAndGo))
  expect(await store.list('bots/bot_1/')).toHaveLength(3)
})
