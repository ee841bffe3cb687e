// Opens the store that the settings name: a bucket where there is one, else a folder.
import { openLocalDisk } from './local-disk.ts'
import { openS3, type S3Options } from './s3.ts'
import type { ObjectStore } from './store.ts'

export type StoreOptions = { readonly folder: string; readonly s3: S3Options | null }

export async function openObjects({ folder, s3 }: StoreOptions): Promise<ObjectStore> {
  return s3 ? openS3(s3) : openLocalDisk(folder)
}
