// Sign-in, sign-out, invitations and passwords of the dashboard.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PersonId } from '../../../domain/bot.ts'
import { ServiceError } from '../../../domain/errors.ts'
import { networkOf } from '../../../kit/addresses.ts'
import { acceptInvitation, invitationOf, normalEmail } from '../../accounts/people.ts'
import { beginSession, csrfTokenOf } from '../../accounts/sessions.ts'
import type { FoundInvitation } from '../../db/accounts/invitations.ts'
import { findPerson, findPersonByEmail, setPassword } from '../../db/accounts/people.ts'
import { deleteSession, deleteSessions, listMemberships, listSessions } from '../../db/accounts/sessions.ts'
import type { Api } from '../deps.ts'
import { refuseForeignPages, setCookie, signedIn } from '../session-auth.ts'
import { type DashboardDeps, isOperator } from './deps.ts'
import { Acceptance, Done, InvitationAnswer, LinkToken, PasswordChange, SessionAnswer, SessionList, SignIn } from './schema.ts'

export function sessionRoutes(app: Api, deps: DashboardDeps): void {
  signInRoute(app, deps)
  linkRoutes(app, deps)
  ownRoutes(app, deps)
  passwordRoute(app, deps)
}

function signInRoute(app: Api, deps: DashboardDeps): void {
  const signingIn = { operationId: 'signIn', body: SignIn, response: { 200: SessionAnswer } }
  app.post('/session', { schema: signingIn }, async (request, reply) => {
    refuseForeignPages(request)
    const email = normalEmail(request.body.email)
    const network = networkOf(request.ip)
    const personId = await deps.throttle.limit({ network, email }, async () => {
      const person = await findPersonByEmail(deps.db, email)
      const isRight = await deps.passwords(network).fits(request.body.password, person?.password ?? null)
      if (!person || !isRight) throw new ServiceError('wrong_password')
      return person.id
    })
    return begin(deps, request, reply, personId)
  })
}

function linkRoutes(app: Api, deps: DashboardDeps): void {
  const reading = { operationId: 'readInvitation', body: LinkToken, response: { 200: InvitationAnswer } }
  app.post('/invitation', { schema: reading }, async (request) => {
    const { workspaceName, email, role } = await invitationIn(request, deps)
    return { workspace_name: workspaceName, email, role }
  })

  const accepting = { operationId: 'acceptInvitation', body: Acceptance, response: { 200: SessionAnswer } }
  app.post('/invitation/accept', { schema: accepting }, async (request, reply) => {
    refuseForeignPages(request)
    const { token, email = null, name, password, has_account: hasAccount = false } = request.body
    const network = networkOf(request.ip)
    // The password of an existing account can be guessed here too, so a guess counts against the invited address.
    const invited = (await invitationIn(request, deps)).email ?? email ?? ''
    const accepted = { token, email, name: name ?? email ?? 'Nameless', password, hasAccount, at: deps.now() }
    const personId = await deps.throttle.limit({ network, email: normalEmail(invited) }, () =>
      acceptInvitation(deps.db, deps.passwords(network), accepted),
    )
    return begin(deps, request, reply, personId)
  })
}

/** The invitation of the token. A wrong token counts as a failed sign-in of the network. */
function invitationIn(
  request: FastifyRequest<{ Body: { token: string } }>,
  { db, throttle, now }: DashboardDeps,
): Promise<FoundInvitation> {
  return throttle.limit({ network: networkOf(request.ip), email: '' }, () => invitationOf(db, request.body.token, now()))
}

function ownRoutes(app: Api, deps: DashboardDeps): void {
  app.get('/session', { schema: { operationId: 'getSession', response: { 200: SessionAnswer } } }, async (request) => {
    const { session, token } = await signedIn(request, deps, { csrf: false })
    return present(deps, session.personId, token)
  })

  app.delete('/session', { schema: { operationId: 'signOut', response: { 200: Done } } }, async (request, reply) => {
    const { session } = await signedIn(request, deps)
    await deleteSession(deps.db, session.id)
    setCookie(reply, null, deps.isSecure())
    return { message: 'Signed out' }
  })

  app.get('/sessions', { schema: { operationId: 'listSessions', response: { 200: SessionList } } }, async (request) => {
    const { session } = await signedIn(request, deps)
    const sessions = await listSessions(deps.db, session.personId, deps.now())
    return {
      sessions: sessions.map((it) => ({
        session_id: it.id,
        user_agent: it.userAgent,
        is_current: it.id === session.id,
        created_at: it.createdAt.toISOString(),
        last_seen_at: it.lastSeenAt.toISOString(),
      })),
    }
  })

  app.delete('/sessions', { schema: { operationId: 'signOutEverywhere', response: { 200: Done } } }, async (request, reply) => {
    const { session } = await signedIn(request, deps)
    await deleteSessions(deps.db, session.personId, { kept: null, at: deps.now() })
    setCookie(reply, null, deps.isSecure())
    return { message: 'Signed out everywhere' }
  })
}

function passwordRoute(app: Api, deps: DashboardDeps): void {
  const changing = { operationId: 'changePassword', body: PasswordChange, response: { 200: Done } }
  app.put('/password', { schema: changing }, async (request) => {
    const { session } = await signedIn(request, deps)
    const person = await findPerson(deps.db, session.personId)
    if (!person) throw new ServiceError('not_signed_in')
    const network = networkOf(request.ip)
    await deps.throttle.limit({ network, email: person.email }, async () => {
      if (!(await deps.passwords(network).fits(request.body.current_password, person.password)))
        throw new ServiceError('wrong_password', 'current_password is wrong. Enter the password that you sign in with.')
    })
    await setPassword(deps.db, person.id, await deps.passwords(network).hash(request.body.new_password))
    await deleteSessions(deps.db, person.id, { kept: session.id, at: deps.now() })
    return { message: 'Password changed. All other sessions were signed out.' }
  })
}

async function begin(deps: DashboardDeps, request: FastifyRequest, reply: FastifyReply, personId: PersonId): Promise<SessionAnswer> {
  const token = await beginSession(deps.db, personId, { userAgent: request.headers['user-agent'] ?? '', at: deps.now() })
  setCookie(reply, token, deps.isSecure())
  return present(deps, personId, token)
}

async function present({ db }: DashboardDeps, personId: PersonId, token: string): Promise<SessionAnswer> {
  const [person, memberships, is_operator] = await Promise.all([
    findPerson(db, personId),
    listMemberships(db, personId),
    isOperator(db, personId),
  ])
  return {
    csrf_token: csrfTokenOf(token),
    is_operator,
    person: { name: person?.name ?? '', email: person?.email ?? '' },
    workspaces: memberships.map(({ workspaceId, workspaceName, role, userId }) => ({
      workspace_id: workspaceId,
      name: workspaceName,
      role,
      user_id: userId,
    })),
  }
}
