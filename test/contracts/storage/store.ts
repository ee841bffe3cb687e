// The contract of every object store.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import type { ObjectStore, Source } from '../../../src/storage/store.ts'

const KEY = 'bots/bot_1/screenshots/1.jpg'
const JPEG = { contentType: 'image/jpeg' } as const
const TEXT = { contentType: 'text/plain; charset=utf-8' } as const

export function testObjectStore(open: () => Promise<ObjectStore>): void {
  const read = async (store: ObjectStore, key = KEY) => {
    const found = await store.get(key)
    return found && (await text(found.stream))
  }

  test('stores objects from a buffer, a file or a stream', async () => {
    const store = await open()
    const file = await fileWith('from a file')
    const sources: [string, Source][] = [
      ['from memory', Buffer.from('from memory')],
      ['from a stream', Readable.from([Buffer.from('from '), Buffer.from('a stream')])],
      ['from a file', { file }],
      ['', Buffer.alloc(0)],
    ]
    for (const [expected, source] of sources) {
      await store.put(KEY, source, JPEG)
      expect(await store.stat(KEY)).toEqual({ size: expected.length, contentType: 'image/jpeg', etag: expect.stringMatching(/^".+"$/) })
      const { stream, ...found } = (await store.get(KEY)) ?? {}
      expect(found).toEqual({ ...(await store.stat(KEY)), range: null })
      expect(stream && (await text(stream))).toBe(expected)
    }
  })

  test('reads large objects and their ranges byte for byte', async () => {
    const store = await open()
    const bytes = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => (index * 7919) % 251))
    await store.put(KEY, Readable.from([bytes.subarray(0, 1_000_001), bytes.subarray(1_000_001)]), JPEG)
    const part = async (first: number, last: number) => {
      const found = await store.get(KEY, { range: { first, last } })
      return { bytes: found && (await buffer(found.stream)), range: found?.range, size: found?.size }
    }
    expect((await store.get(KEY).then((it) => it && buffer(it.stream)))?.equals(bytes)).toBe(true)
    expect((await part(999_990, 1_000_010)).bytes?.equals(bytes.subarray(999_990, 1_000_011))).toBe(true)
    const end = await part(2_999_999, 9_999_999)
    expect(end).toMatchObject({ range: { first: 2_999_999, last: 2_999_999 }, size: 3_000_000 })
    expect(end.bytes?.equals(bytes.subarray(2_999_999))).toBe(true)
    await expect(store.get(KEY, { range: { first: 3_000_000, last: 3_000_001 } })).rejects.toThrow()
  })

  test('replaces an object while a reader of the old one reads it to its end', async () => {
    const store = await open()
    await store.put(KEY, Buffer.from('old'), JPEG)
    const old = await store.get(KEY)
    await store.put(KEY, Buffer.from('new'), JPEG)
    expect(old && (await text(old.stream))).toBe('old')
    expect(await read(store)).toBe('new')
    expect((await store.stat(KEY))?.etag).not.toBe(old?.etag)
  })

  test('never shows an incomplete object', async () => {
    const store = await open()
    await store.put(KEY, Buffer.from('whole'), JPEG)
    const source = new PassThrough()
    const put = store.put(KEY, source, JPEG)
    source.write('half')
    expect(await read(store)).toBe('whole')
    source.destroy(new Error('the source broke'))
    await expect(put).rejects.toThrow('the source broke')
    expect(await read(store)).toBe('whole')
    expect(await store.list('bots/')).toEqual([KEY])
  })

  test('stops writing and reading on abort', async () => {
    const store = await open()
    const source = new PassThrough()
    const stop = new AbortController()
    const put = store.put(KEY, source, { ...JPEG, signal: stop.signal })
    source.write('half')
    stop.abort()
    await expect(put).rejects.toThrow()
    expect([source.destroyed, await store.stat(KEY)]).toEqual([true, null])

    await store.put(KEY, Buffer.alloc(5_000_000), JPEG)
    const stopReading = new AbortController()
    const found = await store.get(KEY, { signal: stopReading.signal })
    const reading = found && buffer(found.stream)
    stopReading.abort()
    await expect(reading).rejects.toThrow()
  })

  test('returns null for a missing object and removes it without an error', async () => {
    const store = await open()
    await store.put(KEY, Buffer.from('x'), JPEG)
    for (const key of ['bots/bot_2/x.txt', 'bots/bot_1', 'bots/bot_1/screenshots', `${KEY}/x.jpg`]) {
      expect([await store.get(key), await store.stat(key)], key).toEqual([null, null])
    }
    expect(await store.remove([KEY, 'bots/bot_2/x.txt'])).toBe(1)
    expect(await store.remove([KEY])).toBe(0)
    expect(await store.remove([])).toBe(0)
    expect(await store.get(KEY)).toBeNull()
  })

  test('lists only the keys under a prefix, sorted', async () => {
    const store = await open()
    const keys = ['bots/bot_1/b.txt', 'bots/bot_1/a/2.txt', 'bots/bot_1/a/1.txt', 'bots/bot_10/c.txt', 'others/bot_1/d.txt']
    for (const key of keys) await store.put(key, Buffer.from(key), TEXT)
    expect(await store.list('bots/bot_1/')).toEqual(['bots/bot_1/a/1.txt', 'bots/bot_1/a/2.txt', 'bots/bot_1/b.txt'])
    expect(await store.list('bots/bot_3/')).toEqual([])
    expect(await store.remove(await store.list('bots/bot_1/'))).toBe(3)
    expect(await store.list('bots/')).toEqual(['bots/bot_10/c.txt'])
  })

  test.each([
    '',
    '/x',
    '../x',
    'a/../b',
    'a/./b',
    'a//b',
    'a/',
    '.a',
    'a/.b',
    'a\\b',
    'a\0b',
    'a b',
    'ä',
    'a:b',
    '~/a',
    `a/${'x'.repeat(129)}`,
  ])('rejects the key %j', async (key) => {
    const store = await open()
    const refused = [store.put(key, Buffer.from('x'), TEXT), store.get(key), store.stat(key), store.remove([key]), store.list(`${key}/`)]
    for (const it of await Promise.allSettled(refused)) expect(it).toMatchObject({ status: 'rejected', reason: { message: /is no/ } })
  })

  test('takes the content type from the extension of the key', async () => {
    const store = await open()
    await expect(store.put(KEY, Buffer.from('x'), TEXT)).rejects.toThrow(/is image\/jpeg, not text\/plain/)
    await expect(store.put('bots/bot_1/page.html', Buffer.from('x'), TEXT)).rejects.toThrow(/has no content type/)
    expect(await store.list('bots/')).toEqual([])
  })
}

async function fileWith(content: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'emissary-source-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'source'), content)
  return join(folder, 'source')
}
