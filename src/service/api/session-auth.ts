// Authenticates the dashboard: a session cookie, a CSRF token, and a header with the workspace.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { WorkspaceId } from '../../domain/bot.ts'
import { invalid, ServiceError } from '../../domain/errors.ts'
import { isSameSecret } from '../../kit/is-same-secret.ts'
import { csrfTokenOf, recogniseSession, SESSION_SECONDS } from '../accounts/sessions.ts'
import type { KeyHolder } from '../db/accounts/keys.ts'
import { listMemberships, type Membership, type Session } from '../db/accounts/sessions.ts'
import type { Db } from '../db/database.ts'

const COOKIE = 'emissary_session'

export type SignedIn = { readonly session: Session; readonly token: string }

export type SessionDeps = { readonly db: Db; readonly now: () => Date }

/** Sessions that were checked before the body of their request was read. */
const checked = new WeakMap<FastifyRequest, SignedIn>()

/** A hook that refuses requests without a session before their body is read. `open`: routes that anyone may call. */
export function requireSession(deps: SessionDeps, open: readonly string[]) {
  return async (request: FastifyRequest): Promise<void> => {
    if (request.method === 'GET' || request.method === 'HEAD' || open.includes(request.routeOptions.url ?? '')) return
    checked.set(request, await signedIn(request, deps))
  }
}

/** Returns the session of the cookie. Requires the CSRF token too, unless `csrf` is false. */
export async function signedIn(request: FastifyRequest, { db, now }: SessionDeps, { csrf = true } = {}): Promise<SignedIn> {
  const known = checked.get(request)
  if (known) return known
  refuseForeignPages(request)
  const token = cookieIn(request, COOKIE)
  const session = token ? await recogniseSession(db, token, now()) : null
  if (!token || !session) throw new ServiceError('not_signed_in')
  if (csrf && !isSameSecret(String(request.headers['x-csrf-token'] ?? ''), csrfTokenOf(token)))
    throw new ServiceError('forbidden', 'The X-CSRF-Token header is missing or wrong. Reload the page.')
  return { session, token }
}

/** Turns a session into an API caller with the person's role in the workspace. */
export async function sessionCaller(request: FastifyRequest, deps: SessionDeps): Promise<KeyHolder> {
  const { session } = await signedIn(request, deps)
  const workspace = request.headers['x-workspace']
  if (typeof workspace !== 'string') throw invalid('The X-Workspace header is required: the id of one of your workspaces.')
  const { role, userId, workspaceId } = await membershipOf(deps, session, workspace)
  return { keyId: session.id, workspaceId, userId, role }
}

/** Another person's workspace gives the same 404 as an unknown one. */
export async function membershipOf({ db }: SessionDeps, { personId }: Session, workspace: string): Promise<Membership> {
  const membership = (await listMemberships(db, personId)).find(({ workspaceId }) => workspaceId === (workspace as WorkspaceId))
  if (!membership) throw new ServiceError('workspace_not_found')
  return membership
}

export function hasSession(request: FastifyRequest): boolean {
  return cookieIn(request, COOKIE) !== null
}

export function setCookie(reply: FastifyReply, token: string | null, isSecure: boolean): void {
  const life = token === null ? 0 : SESSION_SECONDS
  const attributes = [
    `${COOKIE}=${token ?? ''}`,
    'Path=/',
    'HttpOnly',
    'SameSite=Strict',
    `Max-Age=${life}`,
    ...(isSecure ? ['Secure'] : []),
  ]
  reply.header('set-cookie', attributes.join('; '))
}

/** Checks Sec-Fetch-Site, which browsers send. Other clients have no cookie that a foreign page could abuse. */
export function refuseForeignPages(request: FastifyRequest): void {
  const from = request.headers['sec-fetch-site']
  if (from !== undefined && from !== 'same-origin' && from !== 'none')
    throw new ServiceError('forbidden', 'The request comes from a page of another site. Send it from the dashboard.')
}

/** Null if the request has no cookie of the name, or an empty one. */
export function cookieIn({ headers }: FastifyRequest, name: string): string | null {
  const pairs = headers.cookie?.split(';').map((pair) => pair.trim()) ?? []
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) || null
}
