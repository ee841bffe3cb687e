// Login domains and their logins in API answers.
import Type, { type Static } from 'typebox'
import { SESSIONS_PER_LOGIN } from '../accounts/logins.ts'
import type { Login, LoginDomain } from '../db/logins.ts'
import { Moment, Nullable } from './schemas/common.ts'

export const LoginMode = Type.Enum(['always', 'if_required'])

export const LoginAnswer = Type.Object({
  login_id: Type.String(),
  domain: Type.String(),
  email: Type.String(),
  is_active: Type.Boolean(),
  active_sessions: Type.Integer(),
  lease_status: Type.Enum(['free', 'in_use']),
  last_login_error: Nullable(Type.String()),
  created_at: Moment,
})

export const DomainAnswer = Type.Object({
  domain: Type.String(),
  name: Nullable(Type.String()),
  login_mode: LoginMode,
  login_count: Type.Integer(),
  active_login_count: Type.Integer(),
  logins: Type.Array(LoginAnswer),
  limits: Type.Object({
    sessions_per_login: Type.Integer({ description: 'Meetings that one login can be in at a time.' }),
    total_sessions: Type.Integer({ description: 'The same of all active logins together.' }),
    active_sessions: Type.Integer({ description: 'Meetings that its logins are in now.' }),
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
    lease_status: it.sessions > 0 ? 'in_use' : 'free',
    last_login_error: it.lastError,
    created_at: it.createdAt.toISOString(),
  }
}

/** `logins` may be those of several domains. */
export function presentDomain(it: LoginDomain, logins: readonly Login[]): Static<typeof DomainAnswer> {
  const own = logins.filter(({ domain }) => domain === it.domain)
  const perLogin = SESSIONS_PER_LOGIN[it.platform]
  return {
    domain: it.domain,
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
