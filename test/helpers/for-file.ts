// What a test file opens before its tests and closes after them, as a constant of the file.
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'

/** Starts it in a `beforeAll`, so hooks and tests may use the constant, and the top level of the file may not. What starts later ends first. */
export function forFile<T extends object>(start: () => Promise<T>, end: (started: T) => unknown, withinMs?: number): T {
  let started: T | undefined
  beforeAll(async () => {
    started = await start()
  }, withinMs)
  afterAll(async () => {
    if (started) await end(started)
  })
  return standIn(() => started)
}

type Closable = { close(): unknown } | { stop(): unknown } | { drop(): unknown }

export function openForFile<T extends Closable>(open: () => Promise<T>, withinMs?: number): T {
  return forFile(open, close, withinMs)
}

function close(opened: Closable): unknown {
  if ('close' in opened) return opened.close()
  return 'stop' in opened ? opened.stop() : opened.drop()
}

/** An empty folder, removed after the tests of this file. */
export function folderForFile(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix))
  afterAll(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Passes every read on to the object. Methods are bound to it, because private fields are not those of a proxy. */
function standIn<T extends object>(read: () => T | undefined): T {
  const target = (): T => {
    const found = read()
    if (!found) throw new Error('It is started by a beforeAll that has not run yet.')
    return found
  }
  return new Proxy({} as T, {
    get(_, name) {
      const value: unknown = Reflect.get(target(), name)
      return typeof value === 'function' ? value.bind(target()) : value
    },
    // For `{ ...service }`.
    ownKeys: () => Reflect.ownKeys(target()),
    getOwnPropertyDescriptor: (_, name) => Reflect.getOwnPropertyDescriptor(target(), name),
  })
}
