// People of workspaces: set-up link, invitations, members and password resets.
import type { PersonId, UserId, WorkspaceId } from '../../domain/bot.ts'
import { invalid, ServiceError } from '../../domain/errors.ts'
import type { Role } from '../../domain/roles.ts'
import { newId } from '../../kit/id.ts'
import { insertWorkspace, listWorkspaces } from '../db/accounts/accounts.ts'
import { type FoundInvitation, findInvitation, insertInvitation, takeInvitation, withdrawEarlier } from '../db/accounts/invitations.ts'
import * as stored from '../db/accounts/people.ts'
import { deleteSessions } from '../db/accounts/sessions.ts'
import { type Db, inTransaction } from '../db/database.ts'
import type { Passwords } from './passwords.ts'
import { digestOfToken, newToken } from './secret-token.ts'

const INVITED_FOR_MS = 7 * 24 * 60 * 60_000

type Invited = { readonly workspaceId: WorkspaceId; readonly email: string | null; readonly role: Role; readonly at: Date }

/**
 * Returns the only copy of the token. A new invitation voids an earlier one for the same address. Several set-up links can be valid,
 * because each node prints one at its start. The first use voids the others.
 */
export async function invite(db: Db, { workspaceId, email, role, at }: Invited): Promise<string> {
  const token = newToken()
  const id = newId('inv', at)
  await inTransaction(db, async (tx) => {
    if (email !== null) await withdrawEarlier(tx, workspaceId, email)
    const expiresAt = new Date(at.getTime() + INVITED_FOR_MS)
    await insertInvitation(tx, { id, workspaceId, email, role, digest: digestOfToken(token), createdAt: at, expiresAt })
  })
  return token
}

/** A token for a new set-up link, or null if an account exists. */
export async function setUpToken(db: Db, at: Date): Promise<string | null> {
  if (await stored.anyPerson(db)) return null
  const [first] = await listWorkspaces(db)
  return first ? invite(db, { workspaceId: first.id, email: null, role: 'owner', at }) : null
}

export async function invitationOf(db: Db, token: string, at: Date): Promise<FoundInvitation> {
  const invitation = await findInvitation(db, digestOfToken(token), at)
  if (!invitation) throw new ServiceError('invitation_not_found')
  return invitation
}

export type Acceptance = {
  readonly token: string
  /** Only for the set-up link. An invitation contains the address. */
  readonly email: string | null
  readonly name: string
  readonly password: string
  /** The person says so. The server does not: the link's owner must not learn whether the address has an account. */
  readonly hasAccount: boolean
  readonly at: Date
}

const WRONG_CHOICE = 'The e-mail address or the password is wrong. If you have an account on this server, enter its password.'

/** Adds the person to the workspace. Creates an account for a new person whose address has none. */
export async function acceptInvitation(db: Db, passwords: Passwords, acceptance: Acceptance): Promise<PersonId> {
  const { token, name, password, hasAccount, at } = acceptance
  const invitation = await invitationOf(db, token, at)
  const email = invitation.email ?? (acceptance.email === null ? null : normalEmail(acceptance.email))
  if (email === null) throw invalid('email is required.')
  const known = await stored.findPersonByEmail(db, email)
  if ((known || hasAccount) && !(await passwords.fits(password, known?.password ?? null)))
    throw new ServiceError('wrong_password', WRONG_CHOICE)
  const person: stored.Person = known ?? { id: newId('per', at) as PersonId, email, name, password: await passwords.hash(password) }
  await inTransaction(db, async (tx) => {
    if (!(await takeInvitation(tx, invitation))) throw new ServiceError('invitation_not_found')
    if (!known) await stored.insertPerson(tx, { ...person, at })
    const member = { workspaceId: invitation.workspaceId, personId: person.id, email, role: invitation.role }
    const isFirst = invitation.email === null && (await stored.claimFirstUser(tx, member))
    if (!isFirst) await stored.putMember(tx, { ...member, id: newId('usr', at) as UserId, at })
  })
  return person.id
}

/** Returns the only copy of a new password and ends all sessions. Null if the person does not exist. */
export async function resetPassword(db: Db, passwords: Passwords, { email, at }: { email: string; at: Date }): Promise<string | null> {
  const person = await stored.findPersonByEmail(db, normalEmail(email))
  if (!person) return null
  const password = newToken()
  await stored.setPassword(db, person.id, await passwords.hash(password))
  await deleteSessions(db, person.id, { kept: null, at })
  return password
}

export function normalEmail(email: string): string {
  return email.trim().toLowerCase()
}

/** Makes the person the owner. The workspace has no API key yet. */
export async function createOwnWorkspace(db: Db, person: stored.Person, { name, at }: { name: string; at: Date }): Promise<WorkspaceId> {
  const workspaceId = newId('wsp', at) as WorkspaceId
  await inTransaction(db, async (tx) => {
    await insertWorkspace(tx, { id: workspaceId, name, at })
    await stored.putMember(tx, { id: newId('usr', at) as UserId, workspaceId, personId: person.id, email: person.email, role: 'owner', at })
  })
  return workspaceId
}

type MemberChange = { readonly workspaceId: WorkspaceId; readonly userId: string; readonly at: Date }

/** Role null removes the person from the workspace. */
export async function changeMember(db: Db, { workspaceId, userId, at }: MemberChange, role: Role | null): Promise<void> {
  await inTransaction(db, async (tx) => {
    const members = await stored.lockMembers(tx, workspaceId)
    const member = members.find((it) => it.userId === userId)
    if (!member) throw new ServiceError('member_not_found')
    if (role !== 'owner' && isOnlyOwner(member, members))
      throw new ServiceError('conflict', 'A workspace needs an owner. Make another member an owner first.')
    if (role) await stored.setRole(tx, member.userId, role)
    else await stored.removeMember(tx, member.userId, at)
  })
}

function isOnlyOwner({ role }: stored.Member, members: readonly stored.Member[]): boolean {
  return role === 'owner' && members.filter((it) => it.role === 'owner').length === 1
}
