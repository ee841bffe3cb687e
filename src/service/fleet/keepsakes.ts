// What a bot leaves in its folder goes to the store.
import { rm, stat } from 'node:fs/promises'
import { type ObjectStore, screenshotKey } from '../../storage/store.ts'
import { insertScreenshot } from '../db/artefacts.ts'
import type { Claim } from '../db/claims.ts'
import type { Db } from '../db/database.ts'

export type KeepsakeDeps = { readonly db: Db; readonly store: ObjectStore }

type Picture = Claim & { readonly file: string; readonly at: Date }

/** Moves a picture to the store and answers its key there. Done twice, or again after a crash, it is kept once. Null: there is none. */
export async function keepScreenshot({ db, store }: KeepsakeDeps, { botId, fence, file, at }: Picture): Promise<string | null> {
  const key = screenshotKey(botId, at)
  if (!(await isThere(file))) return (await store.stat(key)) && key
  await store.put(key, { file }, { contentType: 'image/jpeg' })
  const kept = await insertScreenshot(db, { botId, fence }, { at, key })
  if (!kept) await store.remove([key])
  await rm(file, { force: true })
  return kept ? key : null
}

async function isThere(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      return false
    },
  )
}
