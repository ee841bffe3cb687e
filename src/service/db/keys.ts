// API keys. The database holds their digests.
import { sql } from 'kysely'
import type { UserId, WorkspaceId } from '../../domain/bot.ts'
import type { Role } from '../../domain/roles.ts'
import type { Db } from './database.ts'

/** A user of the workspace, or the operator: by the operator API, the command line or the first start. */
export type KeyMaker = UserId | 'operator'

export type NewKey = {
  readonly id: string
  readonly workspaceId: WorkspaceId
  readonly userId: UserId | null
  readonly madeBy: KeyMaker
  readonly name: string
  readonly digest: Buffer
  readonly hint: string
  readonly at: Date
}

export async function insertKey(tx: Db, { id, workspaceId, userId, madeBy, name, digest, hint, at }: NewKey): Promise<void> {
  const owner = { workspace_id: workspaceId, user_id: userId, made_by: madeBy }
  await tx
    .insertInto('api_keys')
    .values({ id, ...owner, name, digest, hint, created_at: at })
    .execute()
}

export type KeyHolder = {
  readonly keyId: string
  readonly workspaceId: WorkspaceId
  readonly userId: UserId | null
  /** The present role of the user. Null for a service key, which may read and change. */
  readonly role: Role | null
}

/** Finds holders by the base64 digests of their keys. Revoked keys have none. */
export async function findKeyHolders(db: Db, digests: readonly string[]): Promise<Map<string, KeyHolder>> {
  const { rows } = await sql<KeyHolder & { readonly digest: Buffer }>`
    select digest, it.id as "keyId", it.workspace_id as "workspaceId", it.user_id as "userId", role
    from api_keys it left join users on users.id = it.user_id
    where digest = any(${digests.map((digest) => Buffer.from(digest, 'base64'))}::bytea[]) and revoked_at is null`.execute(db)
  return new Map(rows.map(({ digest, ...holder }) => [digest.toString('base64'), holder]))
}

export async function noteKeyUse(db: Db, id: string, at: Date): Promise<void> {
  await db.updateTable('api_keys').set({ last_used_at: at }).where('id', '=', id).execute()
}

/** False: there is no such key, or it was revoked before. */
export async function revokeKey(db: Db, id: string, at: Date, workspace?: WorkspaceId): Promise<boolean> {
  const row = await db
    .updateTable('api_keys')
    .set({ revoked_at: at })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .$if(workspace !== undefined, (query) => query.where('workspace_id', '=', workspace ?? ''))
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export type ListedKey = {
  readonly id: string
  readonly name: string
  readonly hint: string | null
  readonly userEmail: string | null
  /** The e-mail address of the user who made the key, or `operator`. Null for a key of an earlier version. */
  readonly madeBy: string | null
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
}

/** Newest first, without revoked keys. */
export async function listKeys(db: Db, workspace: WorkspaceId): Promise<ListedKey[]> {
  return db
    .selectFrom('api_keys')
    .leftJoin('users', 'users.id', 'api_keys.user_id')
    .leftJoin('users as makers', 'makers.id', 'api_keys.made_by')
    .select(['api_keys.id', 'api_keys.name', 'api_keys.hint', 'users.email as userEmail'])
    .select((key) => key.fn.coalesce('makers.email', 'api_keys.made_by').as('madeBy'))
    .select(['api_keys.created_at as createdAt', 'api_keys.last_used_at as lastUsedAt'])
    .where('api_keys.workspace_id', '=', workspace)
    .where('revoked_at', 'is', null)
    .orderBy('api_keys.created_at', 'desc')
    .orderBy('api_keys.id', 'desc')
    .execute()
}
