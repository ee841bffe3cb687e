// People and their memberships in workspaces.
import type { PersonId, UserId, WorkspaceId } from '../../domain/bot.ts'
import type { Role } from '../../domain/roles.ts'
import type { Db } from './database.ts'

export type Person = { readonly id: PersonId; readonly email: string; readonly name: string; readonly password: string }

export async function insertPerson(tx: Db, { id, email, name, password, at }: Person & { readonly at: Date }): Promise<void> {
  await tx.insertInto('people').values({ id, email, name, password, created_at: at }).execute()
}

export async function anyPerson(db: Db): Promise<boolean> {
  return (await db.selectFrom('people').select('id').limit(1).executeTakeFirst()) !== undefined
}

export async function findPersonByEmail(db: Db, email: string): Promise<Person | null> {
  const row = await db.selectFrom('people').selectAll().where('email', '=', email).executeTakeFirst()
  return row ? personOf(row) : null
}

export async function findPerson(db: Db, id: PersonId): Promise<Person | null> {
  const row = await db.selectFrom('people').selectAll().where('id', '=', id).executeTakeFirst()
  return row ? personOf(row) : null
}

export async function setPassword(db: Db, person: PersonId, password: string): Promise<void> {
  await db.updateTable('people').set({ password }).where('id', '=', person).execute()
}

function personOf({ id, email, name, password }: { id: string; email: string; name: string; password: string }): Person {
  return { id: id as PersonId, email, name, password }
}

export type Member = { readonly userId: UserId; readonly email: string; readonly name: string; readonly role: Role; readonly since: Date }

export async function listMembers(db: Db, workspace: WorkspaceId): Promise<Member[]> {
  const rows = await db
    .selectFrom('users')
    .innerJoin('people', 'people.id', 'users.person_id')
    .select(['users.id', 'people.email', 'people.name', 'users.role', 'users.created_at'])
    .where('users.workspace_id', '=', workspace)
    .orderBy('people.name')
    .orderBy('users.id')
    .execute()
  return rows.map((row) => ({ userId: row.id as UserId, email: row.email, name: row.name, role: row.role, since: row.created_at }))
}

/** Locks the members, so that the owners cannot change until the transaction ends. */
export async function lockMembers(tx: Db, workspace: WorkspaceId): Promise<Member[]> {
  await tx.selectFrom('workspaces').select('id').where('id', '=', workspace).forNoKeyUpdate().executeTakeFirst()
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
  await tx
    .insertInto('users')
    .values({ id, workspace_id: workspaceId, person_id: personId, email, role, created_at: at })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'email']).doUpdateSet({ person_id: personId, role }))
    .execute()
}

/** Gives the first user of an empty database to the person who sets it up. */
export async function claimFirstUser(tx: Db, { workspaceId, personId, email, role }: Omit<NewMember, 'id' | 'at'>): Promise<boolean> {
  const first = tx.selectFrom('users').select('id').where('workspace_id', '=', workspaceId).orderBy('created_at').orderBy('id').limit(1)
  const row = await tx
    .updateTable('users')
    .set({ person_id: personId, email, role })
    .where('id', '=', first)
    .where('person_id', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export async function setRole(tx: Db, user: UserId, role: Role): Promise<void> {
  await tx.updateTable('users').set({ role }).where('id', '=', user).execute()
}

/** The user stays, for its calendars. The person loses access to the workspace, and the user's keys are revoked. */
export async function removeMember(tx: Db, user: UserId, at: Date): Promise<void> {
  await tx.updateTable('users').set({ person_id: null }).where('id', '=', user).execute()
  await tx.updateTable('api_keys').set({ revoked_at: at }).where('user_id', '=', user).where('revoked_at', 'is', null).execute()
}

export async function renameWorkspace(db: Db, workspace: WorkspaceId, name: string): Promise<void> {
  await db.updateTable('workspaces').set({ name }).where('id', '=', workspace).execute()
}
