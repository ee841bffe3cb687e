// Sessions of the dashboard, and the people they belong to.
import type { PersonId, UserId, WorkspaceId } from '../../domain/bot.ts'
import type { Role } from '../../domain/roles.ts'
import type { Db } from './database.ts'

export type Session = {
  readonly id: string
  readonly personId: PersonId
  readonly userAgent: string
  readonly createdAt: Date
  readonly lastSeenAt: Date
}

export type NewSession = Omit<Session, 'lastSeenAt'> & { readonly digest: Buffer; readonly expiresAt: Date }

export async function insertSession(db: Db, session: NewSession): Promise<void> {
  const { id, digest, personId, userAgent, createdAt, expiresAt } = session
  await db
    .insertInto('sessions')
    .values({
      ...{ id, digest, person_id: personId, user_agent: userAgent },
      ...{ created_at: createdAt, last_seen_at: createdAt, expires_at: expiresAt },
    })
    .execute()
}

export async function findSession(db: Db, digest: Buffer, at: Date): Promise<Session | null> {
  const row = await db.selectFrom('sessions').selectAll().where('digest', '=', digest).where('expires_at', '>', at).executeTakeFirst()
  return row ? sessionOf(row) : null
}

export async function listSessions(db: Db, person: PersonId, at: Date): Promise<Session[]> {
  const rows = await db
    .selectFrom('sessions')
    .selectAll()
    .where('person_id', '=', person)
    .where('expires_at', '>', at)
    .orderBy('last_seen_at', 'desc')
    .execute()
  return rows.map(sessionOf)
}

export async function touchSession(db: Db, id: string, at: Date): Promise<void> {
  await db.updateTable('sessions').set({ last_seen_at: at }).where('id', '=', id).execute()
}

export async function deleteSession(db: Db, id: string): Promise<void> {
  await db.deleteFrom('sessions').where('id', '=', id).execute()
}

/** Deletes all sessions of a person except `kept`, and all expired sessions. */
export async function deleteSessions(db: Db, person: PersonId, { kept, at }: { kept: string | null; at: Date }): Promise<void> {
  await db
    .deleteFrom('sessions')
    .where((it) => it.or([it('person_id', '=', person), it('expires_at', '<=', at)]))
    .where('id', '!=', kept ?? '')
    .execute()
}

export type Membership = {
  readonly workspaceId: WorkspaceId
  readonly workspaceName: string
  readonly userId: UserId
  readonly role: Role
}

/** The workspaces of a person, by name. */
export async function listMemberships(db: Db, person: PersonId): Promise<Membership[]> {
  const rows = await db
    .selectFrom('users')
    .innerJoin('workspaces', 'workspaces.id', 'users.workspace_id')
    .select(['workspaces.id', 'workspaces.name', 'users.id as user_id', 'users.role'])
    .where('users.person_id', '=', person)
    .orderBy('workspaces.name')
    .orderBy('workspaces.id')
    .execute()
  return rows.map((row) => ({
    workspaceId: row.id as WorkspaceId,
    workspaceName: row.name,
    userId: row.user_id as UserId,
    role: row.role,
  }))
}

/** A session's right to read a workspace. */
export type StreamRight = { readonly sessionId: string; readonly workspaceId: WorkspaceId }

/** All workspaces that each of these sessions may read. */
export async function listStreamRights(db: Db, sessions: readonly string[], at: Date): Promise<StreamRight[]> {
  const rows = await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.person_id', 'sessions.person_id')
    .select(['sessions.id', 'users.workspace_id'])
    .where('sessions.id', 'in', [...new Set(sessions)])
    .where('sessions.expires_at', '>', at)
    .execute()
  return rows.map((row) => ({ sessionId: row.id, workspaceId: row.workspace_id as WorkspaceId }))
}

type SessionRow = { id: string; person_id: string; user_agent: string; created_at: Date; last_seen_at: Date }

function sessionOf({ id, person_id, user_agent, created_at, last_seen_at }: SessionRow): Session {
  return { id, personId: person_id as PersonId, userAgent: user_agent, createdAt: created_at, lastSeenAt: last_seen_at }
}
