// Picks the login for a bot: the requested one, or else the least used active one.
import type { LoginId, SignIn, WorkspaceId } from '../../domain/bot.ts'
import { invalid, ServiceError } from '../../domain/errors.ts'
import type { Db } from '../db/database.ts'
import { domainOwner, type Login, type LoginPlatform, lockLogins } from '../db/logins.ts'

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
  return PINNED[signIn.platform]({ asked, free, signIn })
}

type Pinned = { readonly asked: Login | undefined; readonly free: readonly Login[]; readonly signIn: SignIn }

/** Handles a requested login that is not available. */
const PINNED: Readonly<Record<LoginPlatform, (pinned: Pinned) => LoginId>> = {
  google_meet({ asked, free, signIn }) {
    if (!asked?.isActive)
      throw new ServiceError('no_free_login', `platformb.sign_in_email ${signIn.email} is not an active login of ${signIn.domain}.`)
    if (signIn.strict)
      throw new ServiceError(
        'no_free_login',
        `platformb.sign_in_email ${signIn.email} is in ${SESSIONS_PER_LOGIN.google_meet} meetings, which is the maximum. Try again later, or set strict_email to false.`,
      )
    return firstOf(free, signIn)
  },
  teams({ asked, free, signIn }) {
    if (!asked) throw new ServiceError('login_not_found', `platformc.sign_in_email ${signIn.email} is not a login of ${signIn.domain}.`)
    if (signIn.strict)
      throw new ServiceError(
        'login_busy',
        `platformc.sign_in_email ${signIn.email} is busy or not active. Try again later, or set strict_email to false.`,
      )
    return firstOf(free, signIn)
  },
}

function firstOf(free: readonly Login[], { platform, domain }: SignIn): LoginId {
  const [login] = free
  if (!login)
    throw new ServiceError('no_free_login', `No ${FIELDS[platform].label} login of ${domain} is free. Add one, or try again later.`)
  return login.id
}
