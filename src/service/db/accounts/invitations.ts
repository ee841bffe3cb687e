// Invitation links, each of which adds one person to a workspace.
import { sql } from 'kysely'
import type { WorkspaceId } from '../../../domain/bot.ts'
import type { Role } from '../../../domain/roles.ts'
import type { Db } from '../database.ts'
import { firstRow, hasRow, rowsOf } from '../query.ts'

export type Invitation = {
  readonly id: string
  readonly workspaceId: WorkspaceId
  /** Null: the set-up link. */
  readonly email: string | null
  readonly role: Role
  readonly createdAt: Date
  readonly expiresAt: Date
}

export async function insertInvitation(tx: Db, { digest, ...it }: Invitation & { readonly digest: Buffer }): Promise<void> {
  await sql`insert into invitations (id, workspace_id, email, role, digest, created_at, expires_at)
    values (${it.id}, ${it.workspaceId}, ${it.email}, ${it.role}, ${digest}, ${it.createdAt}, ${it.expiresAt})`.execute(tx)
}

const FIELDS = sql`invitations.id, workspace_id as "workspaceId", email, role, invitations.created_at as "createdAt", expires_at as "expiresAt"`

export type FoundInvitation = Invitation & { readonly workspaceName: string }

export function findInvitation(db: Db, digest: Buffer, at: Date): Promise<FoundInvitation | null> {
  return firstRow<FoundInvitation>(db)`
    select ${FIELDS}, workspaces.name as "workspaceName" from invitations join workspaces on workspaces.id = workspace_id
    where digest = ${digest} and expires_at > ${at}`
}

/** Pending invitations without the set-up link. */
export function listInvitations(db: Db, workspace: WorkspaceId, at: Date): Promise<Invitation[]> {
  return rowsOf<Invitation>(db)`
    select ${FIELDS} from invitations where workspace_id = ${workspace} and email is not null and expires_at > ${at}
    order by created_at desc`
}

/** False: it was used or withdrawn meanwhile. Using one set-up link deletes all others. */
export async function takeInvitation(tx: Db, { id, email }: Pick<Invitation, 'id' | 'email'>): Promise<boolean> {
  const taken = email === null ? sql`email is null` : sql`id = ${id}`
  const rows = await rowsOf<{ id: string }>(tx)`delete from invitations where ${taken} returning id`
  return rows.some((row) => row.id === id)
}

export function withdrawInvitation(db: Db, workspace: WorkspaceId, id: string): Promise<boolean> {
  return hasRow(db)`delete from invitations where id = ${id} and workspace_id = ${workspace} returning id`
}

/** A newer link voids the previous one. */
export async function withdrawEarlier(tx: Db, workspace: WorkspaceId, email: string): Promise<void> {
  await sql`delete from invitations where workspace_id = ${workspace} and email = ${email}`.execute(tx)
}
