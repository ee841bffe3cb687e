// Invitation links, each of which adds one person to a workspace.
import type { WorkspaceId } from '../../domain/bot.ts'
import type { Role } from '../../domain/roles.ts'
import type { Db } from './database.ts'

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
  await tx
    .insertInto('invitations')
    .values({
      ...{ id: it.id, workspace_id: it.workspaceId, email: it.email, role: it.role, digest },
      ...{ created_at: it.createdAt, expires_at: it.expiresAt },
    })
    .execute()
}

export type FoundInvitation = Invitation & { readonly workspaceName: string }

export async function findInvitation(db: Db, digest: Buffer, at: Date): Promise<FoundInvitation | null> {
  const row = await db
    .selectFrom('invitations')
    .innerJoin('workspaces', 'workspaces.id', 'invitations.workspace_id')
    .selectAll('invitations')
    .select('workspaces.name as workspace_name')
    .where('digest', '=', digest)
    .where('expires_at', '>', at)
    .executeTakeFirst()
  return row ? { ...invitationOf(row), workspaceName: row.workspace_name } : null
}

/** Pending invitations without the set-up link. */
export async function listInvitations(db: Db, workspace: WorkspaceId, at: Date): Promise<Invitation[]> {
  const rows = await db
    .selectFrom('invitations')
    .selectAll()
    .where('workspace_id', '=', workspace)
    .where('email', 'is not', null)
    .where('expires_at', '>', at)
    .orderBy('created_at', 'desc')
    .execute()
  return rows.map(invitationOf)
}

/** False: it was used or withdrawn meanwhile. Using one set-up link deletes all others. */
export async function takeInvitation(tx: Db, { id, email }: Pick<Invitation, 'id' | 'email'>): Promise<boolean> {
  const taken = tx.deleteFrom('invitations').returning('id')
  const rows = await (email === null ? taken.where('email', 'is', null) : taken.where('id', '=', id)).execute()
  return rows.some((row) => row.id === id)
}

export async function withdrawInvitation(db: Db, workspace: WorkspaceId, id: string): Promise<boolean> {
  const row = await db
    .deleteFrom('invitations')
    .where('id', '=', id)
    .where('workspace_id', '=', workspace)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** A newer link voids the previous one. */
export async function withdrawEarlier(tx: Db, workspace: WorkspaceId, email: string): Promise<void> {
  await tx.deleteFrom('invitations').where('workspace_id', '=', workspace).where('email', '=', email).execute()
}

type Row = { id: string; workspace_id: string; email: string | null; role: Role; created_at: Date; expires_at: Date }

function invitationOf({ id, workspace_id, email, role, created_at, expires_at }: Row): Invitation {
  return { id, workspaceId: workspace_id as WorkspaceId, email, role, createdAt: created_at, expiresAt: expires_at }
}
