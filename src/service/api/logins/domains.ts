// Login domains: the organisations whose accounts a workspace's bots sign in with.
import type { FastifyRequest } from 'fastify'
import Type, { type Static, type TObject } from 'typebox'
import { invalid, ServiceError } from '../../../domain/errors.ts'
import { changeDomain, deleteDomain, insertDomain, type LoginDomain, listDomains, listLogins } from '../../db/accounts/logins.ts'
import { callerOf } from '../auth.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { Line, problems } from '../schema.ts'
import { DomainAnswer, LoginMode, presentDomain } from './answers.ts'
import { LOGIN_KINDS, type LoginKind, loginOperation as operation } from './platforms.ts'

const DOMAIN = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$/

const params = Type.Object({ domain: Type.String() })

export function loginDomainRoutes(app: Api, deps: ApiDeps): void {
  for (const kind of LOGIN_KINDS) {
    addRoute(app, deps, kind)
    readRoutes(app, deps, kind)
    changeRoutes(app, deps, kind)
  }
}

/** Trims and lower-cases a domain. Null if it is not a domain name. */
export function domainFrom(text: string): string | null {
  const domain = text.trim().toLowerCase()
  return DOMAIN.test(domain) ? domain : null
}

async function present(
  deps: ApiDeps,
  request: FastifyRequest,
  { platform }: LoginKind,
  text: string,
): Promise<Static<typeof DomainAnswer>> {
  const domain = domainFrom(text)
  const [found] = domain ? await listDomains(deps.db, callerOf(request).workspaceId, platform, domain) : []
  if (!found) throw new ServiceError('login_domain_not_found')
  return presentDomain(found, await listLogins(deps.db, found.workspaceId, platform))
}

function addRoute(app: Api, deps: ApiDeps, kind: LoginKind): void {
  const { path, label, platform, domainField } = kind
  const body = Type.Object({
    [domainField]: Line({ minLength: 1, maxLength: 253 }),
    name: Type.Optional(Line({ maxLength: 200 })),
    login_mode: Type.Optional(LoginMode),
  }) as TObject
  const schema = operation(`add${label}LoginDomain`, `Register a ${label} login domain`, {
    body,
    response: { 201: DomainAnswer, ...problems('conflict') },
  })
  app.post(`/${path}-login-domains`, { schema }, async (request, reply) => {
    const given = request.body as Readonly<Record<string, string | undefined>>
    const domain = domainFrom(given[domainField] ?? '')
    if (!domain) throw invalid(`${domainField} must be a domain name, for example example.com.`)
    const made: LoginDomain = {
      platform,
      domain,
      workspaceId: callerOf(request).workspaceId,
      name: given.name ?? null,
      loginMode: given.login_mode === 'if_required' ? 'if_required' : 'always',
      createdAt: deps.now(),
      loginCount: 0,
      activeLoginCount: 0,
    }
    if (!(await insertDomain(deps.db, made))) throw new ServiceError('conflict', `${domainField} ${domain} is already registered.`)
    // Not read back from the database: a concurrent request may have deleted it.
    return reply.code(201).send(presentDomain(made, []))
  })
}

function readRoutes(app: Api, deps: ApiDeps, kind: LoginKind): void {
  const { path, label, platform } = kind
  const listSchema = operation(`list${label}LoginDomains`, `List ${label} login domains`, {
    response: { 200: Type.Object({ domains: Type.Array(DomainAnswer) }), ...problems() },
  })
  app.get(`/${path}-login-domains`, { schema: listSchema }, async (request) => {
    const { workspaceId } = callerOf(request)
    const logins = await listLogins(deps.db, workspaceId, platform)
    return { domains: (await listDomains(deps.db, workspaceId, platform)).map((it) => presentDomain(it, logins)) }
  })

  const schema = operation(`get${label}LoginDomain`, `Read a ${label} login domain`, {
    params,
    response: { 200: DomainAnswer, ...problems('login_domain_not_found') },
  })
  app.get(`/${path}-login-domains/:domain`, { schema }, async (request) => present(deps, request, kind, request.params.domain))
}

function changeRoutes(app: Api, deps: ApiDeps, kind: LoginKind): void {
  const { path, label, platform } = kind
  const changeSchema = operation(`update${label}LoginDomain`, `Change a ${label} login domain`, {
    params,
    body: Type.Object({ name: Type.Optional(Line({ maxLength: 200 })), login_mode: Type.Optional(LoginMode) }),
    response: { 200: DomainAnswer, ...problems('login_domain_not_found') },
  })
  app.patch(`/${path}-login-domains/:domain`, { schema: changeSchema }, async (request) => {
    const { domain } = await present(deps, request, kind, request.params.domain)
    const { name, login_mode: loginMode } = request.body
    const change = { ...(name !== undefined && { name }), ...(loginMode && { loginMode }) }
    await changeDomain(deps.db, { workspaceId: callerOf(request).workspaceId, platform, domain }, change)
    return present(deps, request, kind, domain)
  })

  const deleteSchema = operation(`delete${label}LoginDomain`, `Delete a ${label} login domain and its logins`, {
    params,
    response: { 200: Type.Object({ message: Type.String() }), ...problems('login_domain_not_found') },
  })
  app.delete(`/${path}-login-domains/:domain`, { schema: deleteSchema }, async (request) => {
    const domain = domainFrom(request.params.domain)
    const deleted = domain && (await deleteDomain(deps.db, { workspaceId: callerOf(request).workspaceId, platform, domain }))
    if (!deleted) throw new ServiceError('login_domain_not_found')
    return { message: 'Login domain deleted' }
  })
}
