// The workspaces' own keys of speech vendors, sealed.
import { sql } from 'kysely'
import type { WorkspaceId } from '../../../domain/bot.ts'
import type { Vendor } from '../../../domain/speech-providers.ts'
import type { Db } from '../database.ts'
import { hasRow, rowsOf } from '../query.ts'

export type ProviderKey = { readonly vendor: Vendor; readonly secret: Buffer; readonly updatedAt: Date }

export async function setProviderKey(db: Db, workspaceId: WorkspaceId, { vendor, secret, updatedAt }: ProviderKey): Promise<void> {
  await sql`insert into provider_keys (workspace_id, vendor, secret, updated_at)
    values (${workspaceId}, ${vendor}, ${secret}, ${updatedAt})
    on conflict (workspace_id, vendor) do update set secret = excluded.secret, updated_at = excluded.updated_at`.execute(db)
}

/** False: there was none. */
export function deleteProviderKey(db: Db, workspaceId: WorkspaceId, vendor: Vendor): Promise<boolean> {
  return hasRow(db)`delete from provider_keys where workspace_id = ${workspaceId} and vendor = ${vendor} returning vendor`
}

export function listProviderKeys(db: Db, workspaceId: WorkspaceId): Promise<readonly ProviderKey[]> {
  return rowsOf<ProviderKey>(db)`select vendor, secret, updated_at as "updatedAt" from provider_keys where workspace_id = ${workspaceId}`
}
