// The answers about login domains and logins, and how they are made.
import Type, { type Static } from 'typebox'
import { SESSIONS_PER_LOGIN } from '../../accounts/logins.ts'
import type { Login, LoginDomain } from '../../db/accounts/logins.ts'
import { Moment, NamedObject, Nullable } from '../schema.ts'

export const LoginMode = Type.Enum(['always', 'if_required'])

const limits = {
  sso_workspace_domain: Nullable(Type.String({ description: 'The domain, if it signs in by SSO (Google). Null for Teams.' })),
  max_concurrent_per_login: Type.Integer({ description: 'Meetings that one login can be in at the same time.' }),
}

export const LoginAnswer = NamedObject('Login', {
  login_id: Type.String(),
  domain: Type.String(),
  email: Type.String(),
  is_active: Type.Boolean(),
  active_sessions: Type.Integer(),
  ...limits,
  lease_status: Type.Enum(['free', 'in_use']),
  last_login_error: Nullable(Type.String()),
  created_at: Moment,
})

export const DomainAnswer = NamedObject('LoginDomain', {
  domain: Type.String(),
  ...limits,
  name: Nullable(Type.String()),
  login_mode: LoginMode,
  login_count: Type.Integer(),
  active_login_count: Type.Integer(),
  logins: Type.Array(LoginAnswer),
  limits: NamedObject('LoginDomainLimits', {
    sessions_per_login: Type.Integer({ description: 'Meetings that one login can be in at the same time.' }),
    total_sessions: Type.Integer({ description: 'Meetings that all active logins can be in at the same time.' }),
    active_sessions: Type.Integer({ description: 'Meetings that the logins are in now.' }),
  }),
  created_at: Moment,
})

export function presentLogin(it: Login): Static<typeof LoginAnswer> {
  return {
    login_id: it.id,
    domain: it.domain,
    email: it.email,
    is_active: it.isActive,
    active_sessions: it.sessions,
    ...limitsOf(it),
    lease_status: it.sessions > 0 ? 'in_use' : 'free',
    last_login_error: it.lastError,
    created_at: it.createdAt.toISOString(),
  }
}

/** Both fields under the names that public clients print. Only Google's domains have single sign-on. */
function limitsOf({ platform, domain }: Pick<Login, 'platform' | 'domain'>) {
  return { sso_workspace_domain: platform === 'google_meet' ? domain : null, max_concurrent_per_login: SESSIONS_PER_LOGIN[platform] }
}

/** `logins` may contain logins of other domains. */
export function presentDomain(it: LoginDomain, logins: readonly Login[]): Static<typeof DomainAnswer> {
  const own = logins.filter(({ domain }) => domain === it.domain)
  const perLogin = SESSIONS_PER_LOGIN[it.platform]
  return {
    domain: it.domain,
    ...limitsOf(it),
    name: it.name,
    login_mode: it.loginMode,
    login_count: it.loginCount,
    active_login_count: it.activeLoginCount,
    logins: own.map(presentLogin),
    limits: {
      sessions_per_login: perLogin,
      total_sessions: perLogin * own.filter(({ isActive }) => isActive).length,
      active_sessions: own.reduce((sum, { sessions }) => sum + sessions, 0),
    },
    created_at: it.createdAt.toISOString(),
  }
}
