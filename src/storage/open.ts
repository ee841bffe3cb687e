// Opens the configured object store: a bucket if one is set, otherwise a folder.
import { openLocalDisk } from './local-disk.ts'
import type { S3Options } from './s3.ts'
import type { ObjectStore } from './store.ts'

export type StoreOptions = { readonly folder: string; readonly s3: S3Options | null }

export async function openObjects({ folder, s3 }: StoreOptions): Promise<ObjectStore> {
  if (!s3) return openLocalDisk(folder)
  // Imported on demand, because the S3 client takes 30 MB of memory.
  const { openS3 } = await import('./s3.ts')
  return openS3(s3)
}
