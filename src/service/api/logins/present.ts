// Maps login domains and logins to their API answers.

import type { Static } from 'typebox'
import { SESSIONS_PER_LOGIN } from '../../accounts/logins.ts'
import type { Login, LoginDomain } from '../../db/logins.ts'
import type { DomainAnswer, LoginAnswer } from './schema.ts'

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
