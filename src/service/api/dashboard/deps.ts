// Dependencies of the dashboard's routes, and the checks of membership and role.
import type { FastifyRequest } from 'fastify'
import type { PersonId } from '../../../domain/bot.ts'
import { ServiceError } from '../../../domain/errors.ts'
import { may, ONLY_OWNERS } from '../../../domain/roles.ts'
import type { PasswordsFrom } from '../../accounts/passwords.ts'
import type { SignInThrottle } from '../../accounts/sign-in-throttle.ts'
import { listWorkspaces } from '../../db/accounts/accounts.ts'
import { listMemberships, type Membership } from '../../db/accounts/sessions.ts'
import type { Db } from '../../db/database.ts'
import type { ApiDeps } from '../deps.ts'
import { membershipOf, signedIn } from '../session-auth.ts'
import type { Streams } from './streams.ts'

export type DashboardDeps = ApiDeps & {
  readonly passwords: PasswordsFrom
  readonly throttle: SignInThrottle
  readonly streams: Streams
  /** PUBLIC_URL is https, so the cookie gets the Secure attribute. */
  readonly isSecure: () => boolean
}

/** The operator is an owner of the workspace that was created with the installation. */
export async function isOperator(db: Db, person: PersonId): Promise<boolean> {
  const [[first], memberships] = await Promise.all([listWorkspaces(db), listMemberships(db, person)])
  return memberships.some(({ workspaceId, role }) => workspaceId === first?.id && may(role, 'manage'))
}

type WorkspaceRequest = FastifyRequest<{ Params: { workspace_id: string } }>

export async function memberIn(request: WorkspaceRequest, deps: DashboardDeps): Promise<Membership> {
  const { session } = await signedIn(request, deps)
  return membershipOf(deps, session, request.params.workspace_id)
}

export async function ownerIn(request: WorkspaceRequest, deps: DashboardDeps): Promise<Membership> {
  const membership = await memberIn(request, deps)
  if (!may(membership.role, 'manage')) throw new ServiceError('forbidden', ONLY_OWNERS)
  return membership
}
