// Moves screenshots from a bot's folder to the store.
import { rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { type ObjectStore, screenshotKey } from '../../../storage/store.ts'
import type { Db } from '../../db/database.ts'
import type { Claim } from '../../db/fleet/claims.ts'
import { insertScreenshot } from '../../db/fleet/screenshots.ts'
import { withBotFile } from './bot-file.ts'

/** The worker chooses the name, so it is checked. */
const PICTURE_NAME = /^\d+\.jpg$/

export type ScreenshotDeps = { readonly db: Db; readonly store: ObjectStore }

type Picture = Claim & { readonly file: string; readonly at: Date }

/** Moves a screenshot to the store and returns its key. Idempotent, also after a crash. Null: there is none. */
export async function storeScreenshot({ db, store }: ScreenshotDeps, { botId, fence, file, at }: Picture): Promise<string | null> {
  const key = screenshotKey(botId, at)
  const name = basename(file)
  if (!PICTURE_NAME.test(name)) return null
  const stored = await withBotFile(file, `/${botId}/screenshots/${name}`, async (path) => {
    await store.put(key, { file: path }, { contentType: 'image/jpeg' })
    return true
  })
  if (!stored) return (await store.stat(key)) && key
  const kept = await insertScreenshot(db, { botId, fence }, { at, key })
  if (!kept) await store.remove([key])
  await rm(file, { force: true })
  return kept ? key : null
}
