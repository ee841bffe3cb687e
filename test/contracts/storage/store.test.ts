// Runs the same suite for every object store.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, onTestFinished } from 'vitest'
import { openLocalDisk } from '../../../src/storage/local-disk.ts'
import { openS3 } from '../../../src/storage/s3.ts'
import type { ObjectStore } from '../../../src/storage/store.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { SWIFT_WITHIN_MS, startSwift } from '../../helpers/service/s3-server.ts'
import { testObjectStore } from './store.ts'
import { testS3Only } from './store-s3.ts'

/** Each opens an empty store, which is removed after the test. */
const STORES: Readonly<Record<string, () => Promise<ObjectStore>>> = {
  async 'a folder'() {
    const folder = await mkdtemp(join(tmpdir(), 'emissary-objects-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    return openLocalDisk(folder)
  },
  'a bucket': async () => openS3(await swift.bucket()),
}

const swift = openForFile(startSwift, SWIFT_WITHIN_MS)

for (const [name, open] of Object.entries(STORES)) describe(name, () => testObjectStore(open))
describe('the S3 store', () => testS3Only(() => swift))
