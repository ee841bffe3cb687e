// A value sealed with SECRET_KEY, which shows whether the key is the one that sealed this database's secrets.
import { sql } from 'kysely'
import type { Db } from './database.ts'
import { firstValue, rowsOf } from './query.ts'

export type SealedSecret = { readonly owner: string; readonly secret: Buffer }

export function readSecretCheck(db: Db): Promise<Buffer | null> {
  return firstValue<Buffer>(db)`select sealed from secret_check`
}

/** Of several services that start at once, the first one writes it. */
export async function writeSecretCheck(db: Db, sealed: Buffer, at: Date): Promise<void> {
  await sql`insert into secret_check (sealed, made_at) values (${sealed}, ${at}) on conflict (only_row) do nothing`.execute(db)
}

export async function replaceSecretCheck(db: Db, sealed: Buffer, at: Date): Promise<void> {
  await sql`insert into secret_check (sealed, made_at) values (${sealed}, ${at})
    on conflict (only_row) do update set sealed = excluded.sealed, made_at = excluded.made_at`.execute(db)
}

const OF_EACH_KIND = 20

/** The newest sealed secrets of each kind, with the owner they are bound to. */
export function sampleSecrets(db: Db): Promise<readonly SealedSecret[]> {
  return rowsOf<SealedSecret>(db)`
    (select id as owner, secret from logins order by created_at desc limit ${OF_EACH_KIND}) union all
    (select id, secret from calendar_connections order by created_at desc limit ${OF_EACH_KIND}) union all
    (select id, secret from webhook_endpoints order by created_at desc limit ${OF_EACH_KIND}) union all
    (select workspace_id || '/' || vendor, secret from provider_keys order by updated_at desc limit ${OF_EACH_KIND}) union all
    (select id, zoom_sdk_secret from workspaces where zoom_sdk_secret is not null order by created_at desc limit ${OF_EACH_KIND})
  `
}
