// Copies objects from one store to another. Each is read back and compared with what was sent.
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { retry, type Schedule } from '../kit/retry.ts'
import { contentTypeOf, type ObjectStore } from './store.ts'

export type ObjectDigest = { readonly key: string; readonly size: number; readonly sha256: string }

/** Hides the time that a bucket takes to answer. */
const AT_ONCE = 8

/** Of millions of objects some transfers break. An outage of a store may take longer than this. */
const TRIES: Schedule = { attempts: 5, firstMs: 1_000, longestMs: 15_000 }

/**
 * Objects that are gone when their turn comes are left out. Objects that the target has with the same content are kept. What fails is tried
 * again after a pause.
 */
export async function copyObjects(
  from: ObjectStore,
  to: ObjectStore,
  keys: readonly string[],
  onCopied: (object: ObjectDigest) => void,
  tries = TRIES,
): Promise<void> {
  await eachObject(keys, async (key) => {
    const copy = async () => (await sameObject(from, to, key)) ?? (await copyObject(from, to, key))
    const copied = await retry(tries, copy, { again: () => true, random: Math.random })
    if (copied) onCopied(copied)
  })
}

/** Ends with the first error, after the work under way. */
export async function eachObject(keys: readonly string[], work: (key: string) => Promise<void>): Promise<void> {
  const next = keys[Symbol.iterator]()
  let hasFailed = false
  const lane = async (): Promise<void> => {
    for (let it = next.next(); !it.done && !hasFailed; it = next.next()) {
      await work(it.value).catch((error: unknown) => {
        hasFailed = true
        throw error
      })
    }
  }
  const lanes = await Promise.allSettled(Array.from({ length: AT_ONCE }, lane))
  for (const it of lanes) if (it.status === 'rejected') throw it.reason
}

/** Null: there is no such object. */
export async function digestObject(store: ObjectStore, key: string): Promise<ObjectDigest | null> {
  const object = await store.get(key)
  if (!object) return null
  const digest = new Digesting(key)
  for await (const chunk of object.stream) digest.add(chunk)
  return digest.result()
}

/** An earlier copy that broke off may have left it. */
async function sameObject(from: ObjectStore, to: ObjectStore, key: string): Promise<ObjectDigest | null> {
  const there = await to.stat(key)
  if (!there || there.size !== (await from.stat(key))?.size) return null
  const [copied, original] = [await digestObject(to, key), await digestObject(from, key)]
  return copied?.sha256 === original?.sha256 ? copied : null
}

async function copyObject(from: ObjectStore, to: ObjectStore, key: string): Promise<ObjectDigest | null> {
  const object = await from.get(key)
  if (!object) return null
  const sent = new Digesting(key)
  await to.put(key, Readable.from(sent.through(object.stream), { objectMode: false }), { contentType: contentTypeOf(key) })
  const stored = await digestObject(to, key)
  if (stored?.sha256 !== sent.result().sha256) throw new Error(`The object ${key} was stored with another content than it was sent with`)
  return stored
}

class Digesting {
  readonly #key: string
  readonly #hash = createHash('sha256')
  #size = 0

  constructor(key: string) {
    this.#key = key
  }

  add(chunk: Buffer): void {
    this.#hash.update(chunk)
    this.#size += chunk.length
  }

  async *through(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      this.add(chunk)
      yield chunk
    }
  }

  /** Once, at the end. */
  result(): ObjectDigest {
    return { key: this.#key, size: this.#size, sha256: this.#hash.digest('hex') }
  }
}
