// Login domains and logins in API requests and answers.
import Type from 'typebox'
import { Moment, Nullable } from '../schema.ts'

export const LoginMode = Type.Enum(['always', 'if_required'])

const limits = {
  sso_workspace_domain: Nullable(Type.String({ description: 'The domain, if it signs in by SSO (Google). Null for Teams.' })),
  max_concurrent_per_login: Type.Integer({ description: 'Meetings that one login can be in at the same time.' }),
}

export const LoginAnswer = Type.Object({
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

export const DomainAnswer = Type.Object({
  domain: Type.String(),
  ...limits,
  name: Nullable(Type.String()),
  login_mode: LoginMode,
  login_count: Type.Integer(),
  active_login_count: Type.Integer(),
  logins: Type.Array(LoginAnswer),
  limits: Type.Object({
    sessions_per_login: Type.Integer({ description: 'Meetings that one login can be in at the same time.' }),
    total_sessions: Type.Integer({ description: 'Meetings that all active logins can be in at the same time.' }),
    active_sessions: Type.Integer({ description: 'Meetings that the logins are in now.' }),
  }),
  created_at: Moment,
})
