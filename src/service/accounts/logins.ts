// Picks the login for a bot: the requested one, or else the least used active one.
import type { LoginId, SignIn, WorkspaceId } from '../../domain/bot.ts'
import { invalid, ServiceError } from '../../domain/errors.ts'
import { domainOwner, type Login, type LoginPlatform, lockLogins } from '../db/accounts/logins.ts'
import type { Db } from '../db/database.ts'

/** Concurrent meetings per login. */
export const SESSIONS_PER_LOGIN: Readonly<Record<LoginPlatform, number>> = { google_meet: 30, teams: 1 }

/** Field names and labels for error messages. */
const FIELDS: Readonly<Record<LoginPlatform, { readonly section: string; readonly path: string; readonly label: string }>> = {
  google_meet: { section: 'platformb', path: 'google', label: 'Google Meet' },
  teams: { section: 'platformc', path: 'teams', label: 'Microsoft Teams' },
}

/** Throws unless the workspace has registered the domain. */
async function checkLoginDomain(db: Db, workspace: WorkspaceId, { platform, domain }: SignIn): Promise<void> {
  const owner = await domainOwner(db, platform, domain)
  const { section, path } = FIELDS[platform]
  if (!owner)
    throw invalid(`${section}.${section}_login_domain ${domain} is not registered. Register it with POST /api/v1/${path}-login-domains.`)
  if (owner !== workspace) throw new ServiceError('login_domain_taken')
}

/**
 * Locks the logins until the transaction ends, when the bot's row counts as a session of its login. A bot that joins `later` may get a
 * login that is busy now.
 */
export async function pickLogin(tx: Db, workspace: WorkspaceId, signIn: SignIn, joins: 'now' | 'later' = 'now'): Promise<LoginId> {
  await checkLoginDomain(tx, workspace, signIn)
  const logins = await lockLogins(tx, signIn.platform, signIn.domain)
  const free = logins.filter((login) => login.isActive && (joins === 'later' || login.sessions < SESSIONS_PER_LOGIN[signIn.platform]))
  if (!signIn.email) return firstOf(free, signIn)

  const asked = logins.find((login) => login.email.toLowerCase() === signIn.email?.toLowerCase())
  if (asked && free.includes(asked)) return asked.id
  const refusal = REFUSALS[signIn.platform](signIn, asked)
  if (refusal) throw refusal
  return firstOf(free, signIn)
}

/** Why a bot gets no other login if the requested one is not available. Null: it gets one. */
const REFUSALS: Readonly<Record<LoginPlatform, (signIn: SignIn, asked: Login | undefined) => ServiceError | null>> = {
  google_meet({ email, domain, strict }, asked) {
    if (!asked?.isActive) return new ServiceError('no_free_login', `platformb.sign_in_email ${email} is not an active login of ${domain}.`)
    const message = `platformb.sign_in_email ${email} is in ${SESSIONS_PER_LOGIN.google_meet} meetings, which is the maximum. Try again later, or set strict_email to false.`
    return strict ? new ServiceError('no_free_login', message) : null
  },
  teams({ email, domain, strict }, asked) {
    if (!asked) return new ServiceError('login_not_found', `platformc.sign_in_email ${email} is not a login of ${domain}.`)
    const message = `platformc.sign_in_email ${email} is busy or not active. Try again later, or set strict_email to false.`
    return strict ? new ServiceError('login_busy', message) : null
  },
}

function firstOf(free: readonly Login[], { platform, domain }: SignIn): LoginId {
  const [login] = free
  if (!login)
    throw new ServiceError('no_free_login', `No ${FIELDS[platform].label} login of ${domain} is free. Add one, or try again later.`)
  return login.id
}
