// A value sealed with SECRET_KEY, which shows whether the key is the one that sealed this database's secrets.
import { sql } from 'kysely'
import type { Db } from './database.ts'

export type SealedSecret = { readonly owner: string; readonly secret: Buffer }

export async function readSecretCheck(db: Db): Promise<Buffer | null> {
  return (await db.selectFrom('secret_check').select('sealed').executeTakeFirst())?.sealed ?? null
}

/** Of several services that start at once, the first one writes it. */
export async function writeSecretCheck(db: Db, sealed: Buffer, at: Date): Promise<void> {
  await db
    .insertInto('secret_check')
    .values({ sealed, made_at: at })
    .onConflict((conflict) => conflict.column('only_row').doNothing())
    .execute()
}

export async function replaceSecretCheck(db: Db, sealed: Buffer, at: Date): Promise<void> {
  await db
    .insertInto('secret_check')
    .values({ sealed, made_at: at })
    .onConflict((conflict) => conflict.column('only_row').doUpdateSet({ sealed, made_at: at }))
    .execute()
}

const OF_EACH_KIND = 20

/** The newest sealed secrets of each kind, with the owner they are bound to. */
export async function sampleSecrets(db: Db): Promise<readonly SealedSecret[]> {
  const { rows } = await sql<SealedSecret>`
    (select id as owner, secret from logins order by created_at desc limit ${OF_EACH_KIND}) union all
    (select id, secret from calendar_connections order by created_at desc limit ${OF_EACH_KIND}) union all
    (select id, secret from webhook_endpoints order by created_at desc limit ${OF_EACH_KIND}) union all
    (select workspace_id || '/' || vendor, secret from provider_keys order by updated_at desc limit ${OF_EACH_KIND}) union all
    (select id, zoom_sdk_secret from workspaces where zoom_sdk_secret is not null order by created_at desc limit ${OF_EACH_KIND})
  `.execute(db)
  return rows
}
