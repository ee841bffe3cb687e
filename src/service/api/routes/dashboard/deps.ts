// What the dashboard's own routes stand on, and how they learn whose workspace a path names.
import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../../../../domain/errors.ts'
import { may } from '../../../../domain/roles.ts'
import type { Passwords } from '../../../accounts/passwords.ts'
import type { SignInThrottle } from '../../../accounts/sign-in-throttle.ts'
import type { Membership } from '../../../db/sessions.ts'
import type { ApiDeps } from '../../deps.ts'
import { membershipOf, signedIn } from '../../session-auth.ts'
import type { Streams } from './streams.ts'

export type DashboardDeps = ApiDeps & {
  readonly passwords: Passwords
  readonly throttle: SignInThrottle
  readonly streams: Streams
  /** People come over https, so the cookie may go over nothing else. */
  readonly isSecure: () => boolean
}

type WorkspaceRequest = FastifyRequest<{ Params: { workspace_id: string } }>

export async function memberIn(request: WorkspaceRequest, deps: DashboardDeps): Promise<Membership> {
  const { session } = await signedIn(request, deps)
  return membershipOf(deps, session, request.params.workspace_id)
}

export async function ownerIn(request: WorkspaceRequest, deps: DashboardDeps): Promise<Membership> {
  const membership = await memberIn(request, deps)
  if (!may(membership.role, 'manage')) throw new ServiceError('forbidden', 'Only an owner of the workspace may do this.')
  return membership
}
