// Every store there is, and the same suite for each.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, onTestFinished } from 'vitest'
import { openLocalDisk } from '../../src/storage/local-disk.ts'
import type { ObjectStore } from '../../src/storage/store.ts'
import { keepsTheContractOfStores } from './store.ts'

/** Each opens an empty one, which is gone after the test. */
const STORES: Readonly<Record<string, () => Promise<ObjectStore>>> = {
  async 'a folder'() {
    const folder = await mkdtemp(join(tmpdir(), 'emissary-objects-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    return openLocalDisk(folder)
  },
}

for (const [name, open] of Object.entries(STORES)) describe(name, () => keepsTheContractOfStores(open))
