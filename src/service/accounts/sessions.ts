// Dashboard sessions and their CSRF tokens.
import type { PersonId } from '../../domain/bot.ts'
import { newId } from '../../kit/id.ts'
import { findSession, insertSession, type Session, touchSession } from '../db/accounts/sessions.ts'
import type { Db } from '../db/database.ts'
import { digestOfToken, newToken } from './secret-token.ts'

export const SESSION_SECONDS = 30 * 24 * 60 * 60
const SEEN_NOTED_EVERY_MS = 60_000
const LONGEST_USER_AGENT = 300

/** Returns the only copy of the token. */
export async function beginSession(db: Db, personId: PersonId, { userAgent, at }: { userAgent: string; at: Date }): Promise<string> {
  const token = newToken()
  await insertSession(db, {
    id: newId('ses', at),
    digest: digestOfToken(token),
    personId,
    userAgent: userAgent.slice(0, LONGEST_USER_AGENT),
    createdAt: at,
    expiresAt: new Date(at.getTime() + SESSION_SECONDS * 1000),
  })
  return token
}

export async function recogniseSession(db: Db, token: string, at: Date): Promise<Session | null> {
  const session = await findSession(db, digestOfToken(token), at)
  if (session && at.getTime() - session.lastSeenAt.getTime() > SEEN_NOTED_EVERY_MS) await touchSession(db, session.id, at)
  return session
}

/** Derived from the session token. A foreign page can cause a request with the cookie, but cannot read this token. */
export function csrfTokenOf(token: string): string {
  return digestOfToken(`csrf ${token}`).toString('base64url')
}
