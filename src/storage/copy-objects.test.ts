import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { copyObjects, digestObject, type ObjectDigest } from './copy-objects.ts'
import { openLocalDisk } from './local-disk.ts'
import type { ObjectStore } from './store.ts'
import { listObjects } from './store.ts'

const JSON_TYPE = { contentType: 'application/json' } as const

async function newStore(): Promise<ObjectStore> {
  const folder = await mkdtemp(join(tmpdir(), 'emissary-copied-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return openLocalDisk(folder)
}

async function copied(from: ObjectStore, to: ObjectStore, keys: readonly string[]): Promise<readonly ObjectDigest[]> {
  const all: ObjectDigest[] = []
  await copyObjects(from, to, keys, (object) => all.push(object), { attempts: 3, firstMs: 1, longestMs: 1 })
  return all
}

test('copies objects with their digests, and leaves out one that is gone', async () => {
  const [from, to] = [await newStore(), await newStore()]
  await from.put('bots/bot_1/a.json', Buffer.from('{}'), JSON_TYPE)
  const found = await copied(from, to, ['bots/bot_1/a.json', 'bots/bot_1/gone.json'])
  expect(found).toEqual([await digestObject(to, 'bots/bot_1/a.json')])
  expect(found[0]?.size).toBe(2)
})

test('keeps an object that the target has with the same content, and replaces one with another content of the same size', async () => {
  const [from, to] = [await newStore(), await newStore()]
  for (const name of ['same', 'other']) await from.put(`bots/bot_1/${name}.json`, Buffer.from('[1]'), JSON_TYPE)
  await to.put('bots/bot_1/same.json', Buffer.from('[1]'), JSON_TYPE)
  await to.put('bots/bot_1/other.json', Buffer.from('[2]'), JSON_TYPE)
  const before = await to.stat('bots/bot_1/same.json')
  expect(await copied(from, to, ['bots/bot_1/same.json', 'bots/bot_1/other.json'])).toHaveLength(2)
  expect(await to.stat('bots/bot_1/same.json')).toEqual(before)
  const other = await to.get('bots/bot_1/other.json')
  expect(other && (await text(other.stream))).toBe('[1]')
})

test('fails if the target stores other content than it was sent', async () => {
  const [from, to] = [await newStore(), await newStore()]
  await from.put('bots/bot_1/a.json', Buffer.from('{}'), JSON_TYPE)
  const broken: ObjectStore = { ...to, put: (key, _source, options) => to.put(key, Buffer.from('[]'), options) }
  await expect(copied(from, broken, ['bots/bot_1/a.json'])).rejects.toThrow('bots/bot_1/a.json was stored with another content')
})

test('tries an object again whose transfer broke', async () => {
  const [from, to] = [await newStore(), await newStore()]
  for (const name of ['a', 'b']) await from.put(`bots/bot_1/${name}.json`, Buffer.from('{}'), JSON_TYPE)
  let reads = 0
  const unreliable: ObjectStore = {
    ...from,
    async get(key) {
      const object = await from.get(key)
      reads += 1
      if (reads === 2) object?.stream.destroy(new Error('the connection was reset'))
      return object
    },
  }
  expect(await copied(unreliable, to, ['bots/bot_1/a.json', 'bots/bot_1/b.json'])).toHaveLength(2)
})

test('fails with the error of an object whose transfer breaks each time', async () => {
  const [from, to] = [await newStore(), await newStore()]
  const broken: ObjectStore = { ...from, get: () => Promise.reject(new Error('the connection was reset')) }
  await expect(copied(broken, to, ['bots/bot_1/a.json'])).rejects.toThrow('the connection was reset')
})

test('lists finished files and raw recordings of the named bots only', async () => {
  const store = await newStore()
  const keys = ['bots/bot_1/a.json', 'bots/bot_2/a.json', 'recordings/0a/bot_1/b.json', 'recordings/0b/bot_2/b.json']
  for (const key of keys) await store.put(key, Buffer.from('{}'), JSON_TYPE)
  expect(await listObjects(store, new Set(['bot_1']))).toEqual(['recordings/0a/bot_1/b.json', 'bots/bot_1/a.json'])
})
