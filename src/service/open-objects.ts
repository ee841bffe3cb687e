// Opens the object store of recordings: an S3 bucket, or a folder in DATA_DIR.
import { join } from 'node:path'
import { openLocalDisk } from '../storage/local-disk.ts'
import type { S3Options } from '../storage/s3.ts'
import type { ObjectStore } from '../storage/store.ts'
import type { Config } from './config.ts'

/** `onRequest` gets the operation of each request to a bucket. */
export async function openObjectStore(config: Config, onRequest: (operation: string) => void): Promise<ObjectStore> {
  const bucket = bucketIn(config)
  if (!bucket) return openLocalDisk(join(config.DATA_DIR, 'objects'))
  return openBucket(bucket, onRequest)
}

/** The bucket of another name, with the endpoint and keys of the settings. */
export async function openNamedBucket(config: Config, bucket: string): Promise<ObjectStore> {
  const options = bucketIn({ ...config, S3_BUCKET: bucket })
  if (!options) throw new Error('A bucket must have a name.')
  return openBucket(options, () => undefined)
}

async function openBucket(bucket: S3Options, onRequest: (operation: string) => void): Promise<ObjectStore> {
  // Imported on demand, because the S3 client takes 30 MB of memory.
  const { openS3 } = await import('../storage/s3.ts')
  return openS3(bucket, onRequest)
}

function bucketIn(config: Config): S3Options | null {
  const { S3_BUCKET: bucket, S3_ENDPOINT: endpoint = null, S3_REGION: region, S3_DIRECT_READS: directReads } = config
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey, S3_TIMEOUT_SECONDS } = config
  if (!bucket) return null
  const credentials = accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : null
  return { bucket, endpoint, region, credentials, directReads, timeoutMs: S3_TIMEOUT_SECONDS * 1000 }
}
