// Opens the object store of recordings: an S3 bucket, or a folder in DATA_DIR.
import { join } from 'node:path'
import { openObjects } from '../storage/open.ts'
import type { S3Options } from '../storage/s3.ts'
import type { ObjectStore } from '../storage/store.ts'
import type { Config } from './config.ts'

export function openObjectStore(config: Config): Promise<ObjectStore> {
  return openObjects({ folder: join(config.DATA_DIR, 'objects'), s3: bucketIn(config) })
}

function bucketIn(config: Config): S3Options | null {
  const { S3_BUCKET: bucket, S3_ENDPOINT: endpoint = null, S3_REGION: region, S3_DIRECT_READS: directReads } = config
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey, S3_TIMEOUT_SECONDS } = config
  if (!bucket) return null
  const credentials = accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : null
  return { bucket, endpoint, region, credentials, directReads, timeoutMs: S3_TIMEOUT_SECONDS * 1000 }
}
