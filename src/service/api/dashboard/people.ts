// Workspaces, invitations and members in the dashboard.
import Type from 'typebox'
import { ServiceError } from '../../../domain/errors.ts'
import { changeMember, createOwnWorkspace, invite, normalEmail } from '../../accounts/people.ts'
import { listInvitations, withdrawInvitation } from '../../db/accounts/invitations.ts'
import { findPerson, listMembers, renameWorkspace } from '../../db/accounts/people.ts'
import { listMemberships } from '../../db/accounts/sessions.ts'
import type { Api } from '../deps.ts'
import { signedIn } from '../session-auth.ts'
import { type DashboardDeps, memberIn, ownerIn } from './deps.ts'
import {
  Done,
  InvitationMade,
  NewInvitation,
  People,
  WorkspaceParams as params,
  RoleChange,
  WorkspaceMade,
  WorkspaceName,
} from './schema.ts'

const InvitationParams = Type.Object({ ...params.properties, invitation_id: Type.String() })
const MemberParams = Type.Object({ ...params.properties, user_id: Type.String() })

export function peopleRoutes(app: Api, deps: DashboardDeps): void {
  workspaceRoutes(app, deps)
  invitationRoutes(app, deps)
  memberRoutes(app, deps)
}

function workspaceRoutes(app: Api, deps: DashboardDeps): void {
  const making = { operationId: 'createOwnWorkspace', body: WorkspaceName, response: { 201: WorkspaceMade } }
  app.post('/workspaces', { schema: making }, async (request, reply) => {
    const { session } = await signedIn(request, deps)
    const person = await findPerson(deps.db, session.personId)
    const ownsOne = (await listMemberships(deps.db, session.personId)).some(({ role }) => role === 'owner')
    if (!person || !ownsOne) throw new ServiceError('forbidden', 'Only an owner of a workspace may create another one.')
    return reply.code(201).send({ workspace_id: await createOwnWorkspace(deps.db, person, { name: request.body.name, at: deps.now() }) })
  })

  const renaming = { operationId: 'renameWorkspace', params, body: WorkspaceName, response: { 200: Done } }
  app.patch('/workspaces/:workspace_id', { schema: renaming }, async (request) => {
    const { workspaceId } = await ownerIn(request, deps)
    await renameWorkspace(deps.db, workspaceId, request.body.name)
    return { message: 'Workspace renamed' }
  })

  const listing = { operationId: 'listPeople', params, response: { 200: People } }
  app.get('/workspaces/:workspace_id/people', { schema: listing }, async (request) => {
    const { workspaceId } = await memberIn(request, deps)
    const [members, invitations] = await Promise.all([listMembers(deps.db, workspaceId), listInvitations(deps.db, workspaceId, deps.now())])
    return {
      members: members.map((it) => ({ ...it, user_id: it.userId, member_since: it.since.toISOString() })),
      invitations: invitations.map((it) => ({
        invitation_id: it.id,
        email: it.email ?? '',
        role: it.role,
        created_at: it.createdAt.toISOString(),
        expires_at: it.expiresAt.toISOString(),
      })),
    }
  })
}

function invitationRoutes(app: Api, deps: DashboardDeps): void {
  const inviting = { operationId: 'invitePerson', params, body: NewInvitation, response: { 201: InvitationMade } }
  app.post('/workspaces/:workspace_id/invitations', { schema: inviting }, async (request, reply) => {
    const { workspaceId } = await ownerIn(request, deps)
    const email = normalEmail(request.body.email)
    if ((await listMembers(deps.db, workspaceId)).some((member) => member.email === email))
      throw new ServiceError('conflict', `email ${email} is already a member of this workspace.`)
    const token = await invite(deps.db, { workspaceId, email, role: request.body.role, at: deps.now() })
    return reply.code(201).send({ url: `${deps.publicUrl()}/join#${token}` })
  })

  const withdrawing = { operationId: 'withdrawInvitation', params: InvitationParams, response: { 200: Done } }
  app.delete('/workspaces/:workspace_id/invitations/:invitation_id', { schema: withdrawing }, async (request) => {
    const { workspaceId } = await ownerIn(request, deps)
    if (!(await withdrawInvitation(deps.db, workspaceId, request.params.invitation_id))) throw new ServiceError('invitation_not_found')
    return { message: 'Invitation withdrawn' }
  })
}

function memberRoutes(app: Api, deps: DashboardDeps): void {
  const changing = { operationId: 'changeRole', params: MemberParams, body: RoleChange, response: { 200: Done } }
  app.patch('/workspaces/:workspace_id/people/:user_id', { schema: changing }, async (request) => {
    const { workspaceId } = await ownerIn(request, deps)
    await changeMember(deps.db, { workspaceId, userId: request.params.user_id, at: deps.now() }, request.body.role)
    deps.keys.forgetUser(request.params.user_id)
    return { message: 'Role changed' }
  })

  const removing = { operationId: 'removeMember', params: MemberParams, response: { 200: Done } }
  app.delete('/workspaces/:workspace_id/people/:user_id', { schema: removing }, async (request) => {
    const { workspaceId } = await ownerIn(request, deps)
    await changeMember(deps.db, { workspaceId, userId: request.params.user_id, at: deps.now() }, null)
    deps.keys.forgetUser(request.params.user_id)
    return { message: 'Member removed' }
  })
}
