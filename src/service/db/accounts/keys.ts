// API keys. The database holds their digests.
import { sql } from 'kysely'
import type { UserId, WorkspaceId } from '../../../domain/bot.ts'
import type { Role } from '../../../domain/roles.ts'
import type { Db } from '../database.ts'
import { hasRow, rowsOf } from '../query.ts'

/** A user of the workspace, or the operator: by the operator API, the command line or the first start. */
type KeyMaker = UserId | 'operator'

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
  await sql`insert into api_keys (id, workspace_id, user_id, made_by, name, digest, hint, created_at)
    values (${id}, ${workspaceId}, ${userId}, ${madeBy}, ${name}, ${digest}, ${hint}, ${at})`.execute(tx)
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
  const rows = await rowsOf<KeyHolder & { readonly digest: Buffer }>(db)`
    select digest, it.id as "keyId", it.workspace_id as "workspaceId", it.user_id as "userId", role
    from api_keys it left join users on users.id = it.user_id
    where digest = any(${digests.map((digest) => Buffer.from(digest, 'base64'))}::bytea[]) and revoked_at is null`
  return new Map(rows.map(({ digest, ...holder }) => [digest.toString('base64'), holder]))
}

export async function noteKeyUse(db: Db, id: string, at: Date): Promise<void> {
  await sql`update api_keys set last_used_at = ${at} where id = ${id}`.execute(db)
}

/** False: there is no such key, or it was revoked before. */
export function revokeKey(db: Db, id: string, at: Date, workspace?: WorkspaceId): Promise<boolean> {
  return hasRow(db)`update api_keys set revoked_at = ${at}
    where id = ${id} and revoked_at is null and workspace_id = coalesce(${workspace ?? null}, workspace_id) returning id`
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
export function listKeys(db: Db, workspace: WorkspaceId): Promise<ListedKey[]> {
  return rowsOf<ListedKey>(db)`
    select it.id, it.name, it.hint, users.email as "userEmail", coalesce(makers.email, it.made_by) as "madeBy",
      it.created_at as "createdAt", it.last_used_at as "lastUsedAt"
    from api_keys it left join users on users.id = it.user_id left join users makers on makers.id = it.made_by
    where it.workspace_id = ${workspace} and it.revoked_at is null order by it.created_at desc, it.id desc`
}
