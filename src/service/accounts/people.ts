// How people come to a workspace: by the set-up link, by an invitation, or by making a workspace themselves.
import type { PersonId, UserId, WorkspaceId } from '../../domain/bot.ts'
import { invalid, ServiceError } from '../../domain/errors.ts'
import type { Role } from '../../domain/roles.ts'
import { newId } from '../../kit/id.ts'
import { insertWorkspace, listWorkspaces } from '../db/accounts.ts'
import { type Db, inTransaction } from '../db/database.ts'
import { type FoundInvitation, findInvitation, insertInvitation, takeInvitation, withdrawEarlier } from '../db/invitations.ts'
import {
  anyPerson,
  claimFirstUser,
  findPersonByEmail,
  insertPerson,
  lockMembers,
  type Member,
  type Person,
  putMember,
  removeMember,
  setPassword,
  setRole,
} from '../db/people.ts'
import { deleteSessions } from '../db/sessions.ts'
import type { Passwords } from './passwords.ts'
import { digestOfToken, newToken } from './secret-token.ts'

const INVITED_FOR_MS = 7 * 24 * 60 * 60_000

type Invited = { readonly workspaceId: WorkspaceId; readonly email: string | null; readonly role: Role; readonly at: Date }

/** Returns the only copy of the token in the link. An earlier link for the same address is void. Set-up links stand beside each other:
 * each node prints one at its start, and the first that is used makes the others void. */
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

/** The token of a new set-up link while nobody can sign in; null once somebody can. */
export async function setUpToken(db: Db, at: Date): Promise<string | null> {
  if (await anyPerson(db)) return null
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
  /** Only the set-up link asks for it. */
  readonly email: string | null
  readonly name: string
  readonly password: string
  readonly at: Date
}

/** Makes the person, or adds the workspace to the one they are. */
export async function acceptInvitation(db: Db, passwords: Passwords, acceptance: Acceptance): Promise<PersonId> {
  const { token, name, password, at } = acceptance
  const invitation = await invitationOf(db, token, at)
  const email = invitation.email ?? (acceptance.email === null ? null : normalEmail(acceptance.email))
  if (email === null) throw invalid('email is required.')
  const known = await findPersonByEmail(db, email)
  if (known && !(await passwords.fits(password, known.password)))
    throw new ServiceError('wrong_password', 'There is an account with this e-mail address, and the password is not its own.')
  const person: Person = known ?? { id: newId('per', at) as PersonId, email, name, password: await passwords.hash(password) }
  await inTransaction(db, async (tx) => {
    if (!(await takeInvitation(tx, invitation))) throw new ServiceError('invitation_not_found')
    if (!known) await insertPerson(tx, { ...person, at })
    const member = { workspaceId: invitation.workspaceId, personId: person.id, email, role: invitation.role }
    const isFirst = invitation.email === null && (await claimFirstUser(tx, member))
    if (!isFirst) await putMember(tx, { ...member, id: newId('usr', at) as UserId, at })
  })
  return person.id
}

/** For somebody who forgot theirs: returns the only copy of a new one, and ends every session. Null: there is no such person. */
export async function resetPassword(db: Db, passwords: Passwords, { email, at }: { email: string; at: Date }): Promise<string | null> {
  const person = await findPersonByEmail(db, normalEmail(email))
  if (!person) return null
  const password = newToken()
  await setPassword(db, person.id, await passwords.hash(password))
  await deleteSessions(db, person.id, { kept: null, at })
  return password
}

export function normalEmail(email: string): string {
  return email.trim().toLowerCase()
}

/** The person is its owner. It has no key until they make one. */
export async function foundWorkspace(db: Db, person: Person, { name, at }: { name: string; at: Date }): Promise<WorkspaceId> {
  const workspaceId = newId('wsp', at) as WorkspaceId
  await inTransaction(db, async (tx) => {
    await insertWorkspace(tx, { id: workspaceId, name, at })
    await putMember(tx, { id: newId('usr', at) as UserId, workspaceId, personId: person.id, email: person.email, role: 'owner', at })
  })
  return workspaceId
}

type MemberChange = { readonly workspaceId: WorkspaceId; readonly userId: string; readonly at: Date }

/** A role of null takes the person out of the workspace. */
export async function changeMember(db: Db, { workspaceId, userId, at }: MemberChange, role: Role | null): Promise<void> {
  await inTransaction(db, async (tx) => {
    const members = await lockMembers(tx, workspaceId)
    const member = members.find((it) => it.userId === userId)
    if (!member) throw new ServiceError('member_not_found')
    if (role !== 'owner' && isOnlyOwner(member, members))
      throw new ServiceError('conflict', 'A workspace needs an owner. Make another member an owner first.')
    if (role) await setRole(tx, member.userId, role)
    else await removeMember(tx, member.userId, at)
  })
}

function isOnlyOwner({ role }: Member, members: readonly Member[]): boolean {
  return role === 'owner' && members.filter((it) => it.role === 'owner').length === 1
}
