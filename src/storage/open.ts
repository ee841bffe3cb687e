// Opens the store that the settings name: a bucket where there is one, else a folder.
import { openLocalDisk } from './local-disk.ts'
import type { S3Options } from './s3.ts'
import type { ObjectStore } from './store.ts'

export type StoreOptions = { readonly folder: string; readonly s3: S3Options | null }

export async function openObjects({ folder, s3 }: StoreOptions): Promise<ObjectStore> {
  if (!s3) return openLocalDisk(folder)
  // The client of S3 takes 30 MB, which a service without a bucket does not pay.
  const { openS3 } = await import('./s3.ts')
  return openS3(s3)
}
