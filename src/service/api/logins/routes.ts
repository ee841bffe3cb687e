// Logins: the accounts of a login domain. Their secrets are write-only.
import type { FastifyRequest } from 'fastify'
import Type, { type Static, type TObject } from 'typebox'
import type { LoginId } from '../../../domain/bot.ts'
import { invalid, ServiceError } from '../../../domain/errors.ts'
import { newId } from '../../../kit/id.ts'
import { changeLogin, deleteLogin, domainOwner, insertLogin, listLogins } from '../../db/accounts/logins.ts'
import { callerOf } from '../auth.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { idIn } from '../http/path-id.ts'
import { Line, problems } from '../schema.ts'
import { LoginAnswer, presentLogin } from './answers.ts'
import { domainFrom } from './domains.ts'
import { LOGIN_KINDS, type LoginKind, loginOperation as operation } from './platforms.ts'

const Email = Type.String({ format: 'email', maxLength: 254 })
const Secret = Type.String({ minLength: 1, maxLength: 20_000, writeOnly: true })

const params = Type.Object({ login_id: Type.String() })

export function loginRoutes(app: Api, deps: ApiDeps): void {
  for (const kind of LOGIN_KINDS) {
    addRoute(app, deps, kind)
    readRoutes(app, deps, kind)
    changeRoutes(app, deps, kind)
  }
}

async function present(deps: ApiDeps, request: FastifyRequest, { platform }: LoginKind, id: string): Promise<Static<typeof LoginAnswer>> {
  const [found] = await listLogins(deps.db, callerOf(request).workspaceId, platform, id)
  if (!found) throw new ServiceError('login_not_found')
  return presentLogin(found)
}

function secretsOf({ secretFields }: LoginKind): Record<string, typeof Secret> {
  return Object.fromEntries(secretFields.map((field) => [field, Secret]))
}

type Given = Readonly<Record<string, string | undefined>> & { readonly is_active?: never }

/** Checks the secret before it is sealed, because a sealed secret cannot be checked. */
function seal(deps: ApiDeps, { secretFields, secretProblem }: LoginKind, id: string, given: Given): Buffer {
  const secret = Object.fromEntries(secretFields.map((field) => [field, given[field] ?? '']))
  const problem = secretProblem(secret, deps.now())
  if (problem) throw invalid(problem)
  return deps.vault.seal(id, JSON.stringify(secret))
}

function checkEmail({ ownAddresses }: LoginKind, domain: string, email: string): void {
  if (ownAddresses && !email.toLowerCase().endsWith(`@${domain}`)) throw invalid(`email must end in @${domain}.`)
}

function addRoute(app: Api, deps: ApiDeps, kind: LoginKind): void {
  const { path, label, platform } = kind
  const body = Type.Object({
    domain: Line({ minLength: 1, maxLength: 253 }),
    email: Email,
    ...secretsOf(kind),
    is_active: Type.Optional(Type.Boolean()),
  }) as TObject
  const schema = operation(`add${label}Login`, `Add a ${label} login`, {
    body,
    response: { 201: LoginAnswer, ...problems('login_domain_not_found', 'conflict') },
  })
  app.post(`/${path}-logins`, { schema }, async (request, reply) => {
    const { workspaceId } = callerOf(request)
    const given = request.body as Given
    const domain = domainFrom(given.domain ?? '')
    if (!domain || (await domainOwner(deps.db, platform, domain)) !== workspaceId) throw new ServiceError('login_domain_not_found')
    const at = deps.now()
    const id = newId('lgn', at) as LoginId
    const email = given.email ?? ''
    checkEmail(kind, domain, email)
    const isActive = given.is_active ?? true
    const added = await insertLogin(deps.db, {
      id,
      platform,
      domain,
      workspaceId,
      email,
      secret: seal(deps, kind, id, given),
      isActive,
      at,
    })
    if (added === 'no_domain') throw new ServiceError('login_domain_not_found')
    if (added === 'taken') throw new ServiceError('conflict', `email ${email} is already a login of ${domain}.`)
    return reply.code(201).send(await present(deps, request, kind, id))
  })
}

function readRoutes(app: Api, deps: ApiDeps, kind: LoginKind): void {
  const { path, label, platform } = kind
  const schema = operation(`list${label}Logins`, `List ${label} logins`, {
    response: { 200: Type.Object({ logins: Type.Array(LoginAnswer) }), ...problems() },
  })
  app.get(`/${path}-logins`, { schema }, async (request) => ({
    logins: (await listLogins(deps.db, callerOf(request).workspaceId, platform)).map(presentLogin),
  }))

  const one = operation(`get${label}Login`, `Read a ${label} login`, {
    params,
    response: { 200: LoginAnswer, ...problems('login_not_found') },
  })
  app.get(`/${path}-logins/:login_id`, { schema: one }, async (request) =>
    present(deps, request, kind, idIn(request.params.login_id, 'login_not_found')),
  )
}

function changeRoutes(app: Api, deps: ApiDeps, kind: LoginKind): void {
  const { path, label, platform, secretFields } = kind
  const changing = operation(`update${label}Login`, `Change a ${label} login`, {
    params,
    body: Type.Partial(Type.Object({ email: Email, ...secretsOf(kind), is_active: Type.Boolean() })) as TObject,
    response: { 200: LoginAnswer, ...problems('login_not_found', 'conflict') },
  })
  app.patch(`/${path}-logins/:login_id`, { schema: changing }, async (request) => {
    const id = idIn(request.params.login_id, 'login_not_found')
    const given = request.body as Given
    const named = secretFields.filter((field) => given[field] !== undefined)
    if (named.length > 0 && named.length < secretFields.length)
      throw invalid(`${secretFields.join(' and ')} must be changed in one request.`)
    if (given.email !== undefined) checkEmail(kind, (await present(deps, request, kind, id)).domain, given.email)
    const outcome = await changeLogin(
      deps.db,
      { workspaceId: callerOf(request).workspaceId, platform, id },
      {
        // A new secret activates a login that was switched off because the platform refused the old one.
        ...((given.is_active !== undefined || named.length > 0) && { isActive: given.is_active ?? true }),
        ...(given.email !== undefined && { email: given.email }),
        ...(named.length > 0 && { secret: seal(deps, kind, id, given) }),
      },
    )
    if (outcome === 'taken') throw new ServiceError('conflict', `email ${given.email} is already a login of this domain.`)
    return present(deps, request, kind, id)
  })

  const deleting = operation(`delete${label}Login`, `Delete a ${label} login`, {
    params,
    response: { 200: Type.Object({ message: Type.String() }), ...problems('login_not_found') },
  })
  app.delete(`/${path}-logins/:login_id`, { schema: deleting }, async (request) => {
    const id = idIn(request.params.login_id, 'login_not_found')
    if (!(await deleteLogin(deps.db, { workspaceId: callerOf(request).workspaceId, platform, id })))
      throw new ServiceError('login_not_found')
    return { message: 'Login deleted' }
  })
}
