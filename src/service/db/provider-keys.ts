// The workspaces' own keys of speech vendors, sealed.
import type { WorkspaceId } from '../../domain/bot.ts'
import type { Vendor } from '../../domain/speech-providers.ts'
import type { Db } from './database.ts'

export type ProviderKey = { readonly vendor: Vendor; readonly secret: Buffer; readonly updatedAt: Date }

export async function setProviderKey(db: Db, workspaceId: WorkspaceId, { vendor, secret, updatedAt }: ProviderKey): Promise<void> {
  await db
    .insertInto('provider_keys')
    .values({ workspace_id: workspaceId, vendor, secret, updated_at: updatedAt })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'vendor']).doUpdateSet({ secret, updated_at: updatedAt }))
    .execute()
}

/** False: there was none. */
export async function deleteProviderKey(db: Db, workspaceId: WorkspaceId, vendor: Vendor): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('provider_keys')
    .where('workspace_id', '=', workspaceId)
    .where('vendor', '=', vendor)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export async function listProviderKeys(db: Db, workspaceId: WorkspaceId): Promise<readonly ProviderKey[]> {
  return await db
    .selectFrom('provider_keys')
    .select(['vendor', 'secret', 'updated_at as updatedAt'])
    .where('workspace_id', '=', workspaceId)
    .execute()
}
