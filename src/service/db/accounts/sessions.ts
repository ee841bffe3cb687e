// Sessions of the dashboard, with the people they belong to and the workspaces that these may read.
import { sql } from 'kysely'
import type { PersonId, UserId, WorkspaceId } from '../../../domain/bot.ts'
import type { Role } from '../../../domain/roles.ts'
import type { Db } from '../database.ts'
import { firstRow, rowsOf } from '../query.ts'

export type Session = {
  readonly id: string
  readonly personId: PersonId
  readonly userAgent: string
  readonly createdAt: Date
  readonly lastSeenAt: Date
}

export type NewSession = Omit<Session, 'lastSeenAt'> & { readonly digest: Buffer; readonly expiresAt: Date }

export async function insertSession(db: Db, { id, digest, personId, userAgent, createdAt, expiresAt }: NewSession): Promise<void> {
  await sql`insert into sessions (id, digest, person_id, user_agent, created_at, last_seen_at, expires_at)
    values (${id}, ${digest}, ${personId}, ${userAgent}, ${createdAt}, ${createdAt}, ${expiresAt})`.execute(db)
}

const FIELDS = sql`id, person_id as "personId", user_agent as "userAgent", created_at as "createdAt", last_seen_at as "lastSeenAt"`

export function findSession(db: Db, digest: Buffer, at: Date): Promise<Session | null> {
  return firstRow<Session>(db)`select ${FIELDS} from sessions where digest = ${digest} and expires_at > ${at}`
}

export function listSessions(db: Db, person: PersonId, at: Date): Promise<Session[]> {
  return rowsOf<Session>(db)`
    select ${FIELDS} from sessions where person_id = ${person} and expires_at > ${at} order by last_seen_at desc`
}

export async function touchSession(db: Db, id: string, at: Date): Promise<void> {
  await sql`update sessions set last_seen_at = ${at} where id = ${id}`.execute(db)
}

export async function deleteSession(db: Db, id: string): Promise<void> {
  await sql`delete from sessions where id = ${id}`.execute(db)
}

/** Deletes all sessions of a person except `kept`, and all expired sessions. */
export async function deleteSessions(db: Db, person: PersonId, { kept, at }: { kept: string | null; at: Date }): Promise<void> {
  await sql`delete from sessions where (person_id = ${person} or expires_at <= ${at}) and id <> ${kept ?? ''}`.execute(db)
}

export type Membership = {
  readonly workspaceId: WorkspaceId
  readonly workspaceName: string
  readonly userId: UserId
  readonly role: Role
}

/** The workspaces of a person, by name. */
export function listMemberships(db: Db, person: PersonId): Promise<Membership[]> {
  return rowsOf<Membership>(db)`
    select workspaces.id as "workspaceId", workspaces.name as "workspaceName", users.id as "userId", role
    from users join workspaces on workspaces.id = workspace_id where person_id = ${person} order by workspaces.name, workspaces.id`
}

/** A session's right to read a workspace. */
export type StreamRight = { readonly sessionId: string; readonly workspaceId: WorkspaceId }

/** All workspaces that each of these sessions may read. */
export function listStreamRights(db: Db, sessions: readonly string[], at: Date): Promise<StreamRight[]> {
  return rowsOf<StreamRight>(db)`
    select sessions.id as "sessionId", workspace_id as "workspaceId" from sessions join users on users.person_id = sessions.person_id
    where sessions.id = any(${sessions}) and expires_at > ${at}`
}
