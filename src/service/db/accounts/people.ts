// People and their memberships in workspaces.
import { sql } from 'kysely'
import type { PersonId, UserId, WorkspaceId } from '../../../domain/bot.ts'
import type { Role } from '../../../domain/roles.ts'
import type { Db } from '../database.ts'
import { firstRow, hasRow, rowsOf } from '../query.ts'

export type Person = { readonly id: PersonId; readonly email: string; readonly name: string; readonly password: string }

export async function insertPerson(tx: Db, { id, email, name, password, at }: Person & { readonly at: Date }): Promise<void> {
  await sql`insert into people (id, email, name, password, created_at)
    values (${id}, ${email}, ${name}, ${password}, ${at})`.execute(tx)
}

export function anyPerson(db: Db): Promise<boolean> {
  return hasRow(db)`select from people limit 1`
}

export function findPersonByEmail(db: Db, email: string): Promise<Person | null> {
  return firstRow<Person>(db)`select id, email, name, password from people where email = ${email}`
}

export function findPerson(db: Db, id: PersonId): Promise<Person | null> {
  return firstRow<Person>(db)`select id, email, name, password from people where id = ${id}`
}

export async function setPassword(db: Db, person: PersonId, password: string): Promise<void> {
  await sql`update people set password = ${password} where id = ${person}`.execute(db)
}

export type Member = { readonly userId: UserId; readonly email: string; readonly name: string; readonly role: Role; readonly since: Date }

export function listMembers(db: Db, workspace: WorkspaceId): Promise<Member[]> {
  return rowsOf<Member>(db)`
    select users.id as "userId", people.email, people.name, role, users.created_at as since
    from users join people on people.id = person_id where workspace_id = ${workspace} order by people.name, users.id`
}

/** Locks the members, so that the owners cannot change until the transaction ends. */
export async function lockMembers(tx: Db, workspace: WorkspaceId): Promise<Member[]> {
  await sql`select from workspaces where id = ${workspace} for no key update`.execute(tx)
  return listMembers(tx, workspace)
}

export type NewMember = {
  readonly id: UserId
  readonly workspaceId: WorkspaceId
  readonly personId: PersonId
  readonly email: string
  readonly role: Role
  readonly at: Date
}

/** A former user with this e-mail address is restored, with its calendars. */
export async function putMember(tx: Db, { id, workspaceId, personId, email, role, at }: NewMember): Promise<void> {
  await sql`insert into users (id, workspace_id, person_id, email, role, created_at)
    values (${id}, ${workspaceId}, ${personId}, ${email}, ${role}, ${at})
    on conflict (workspace_id, email) do update set person_id = excluded.person_id, role = excluded.role`.execute(tx)
}

/** Gives the first user of an empty database to the person who sets it up. */
export function claimFirstUser(tx: Db, { workspaceId, personId, email, role }: Omit<NewMember, 'id' | 'at'>): Promise<boolean> {
  return hasRow(tx)`update users set person_id = ${personId}, email = ${email}, role = ${role}
    where id = (select id from users where workspace_id = ${workspaceId} order by created_at, id limit 1) and person_id is null
    returning id`
}

export async function setRole(tx: Db, user: UserId, role: Role): Promise<void> {
  await sql`update users set role = ${role} where id = ${user}`.execute(tx)
}

/** The user stays, for its calendars. The person loses access to the workspace, and the user's keys are revoked. */
export async function removeMember(tx: Db, user: UserId, at: Date): Promise<void> {
  await sql`update users set person_id = null where id = ${user}`.execute(tx)
  await sql`update api_keys set revoked_at = ${at} where user_id = ${user} and revoked_at is null`.execute(tx)
}

export async function renameWorkspace(db: Db, workspace: WorkspaceId, name: string): Promise<void> {
  await sql`update workspaces set name = ${name} where id = ${workspace}`.execute(db)
}
