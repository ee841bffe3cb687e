// Picks the account a bot signs in with: the least used active one, or the one that was asked for.
import type { LoginId, SignIn, WorkspaceId } from '../../domain/bot.ts'
import { invalid, ServiceError } from '../../domain/errors.ts'
import type { Db } from '../db/database.ts'
import { domainOwner, type Login, type LoginPlatform, lockLogins } from '../db/logins.ts'

/** Meetings one account may be in at a time. */
export const SESSIONS_PER_LOGIN: Readonly<Record<LoginPlatform, number>> = { google_meet: 30, teams: 1 }

/** The fields of create_bot that an error names. */
const FIELDS: Readonly<Record<LoginPlatform, { readonly section: string; readonly label: string }>> = {
  google_meet: { section: 'platformb', label: 'Google Meet' },
  teams: { section: 'platformc', label: 'Microsoft Teams' },
}

/** Throws unless the domain is registered and the workspace's own. */
async function checkLoginDomain(db: Db, workspace: WorkspaceId, { platform, domain }: SignIn): Promise<void> {
  const owner = await domainOwner(db, platform, domain)
  const { section } = FIELDS[platform]
  if (!owner) throw invalid(`${section}.${section}_login_domain ${domain} is not registered.`)
  if (owner !== workspace) throw new ServiceError('login_domain_taken')
}

/**
 * The account for this bot, held by the transaction until the bot's row counts as its session. For a bot that joins `later` an account
 * that is busy now will do.
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

/** What follows when the account that was asked for cannot be had. */
const PINNED: Readonly<Record<LoginPlatform, (pinned: Pinned) => LoginId>> = {
  google_meet({ asked, free, signIn }) {
    if (!asked?.isActive)
      throw new ServiceError('no_free_login', `platformb.sign_in_email ${signIn.email} is not an active login of ${signIn.domain}.`)
    if (signIn.strict)
      throw new ServiceError(
        'no_free_login',
        `platformb.sign_in_email ${signIn.email} is in ${SESSIONS_PER_LOGIN.google_meet} meetings, the most a login can be in.`,
      )
    return firstOf(free, signIn)
  },
  teams({ asked, free, signIn }) {
    if (!asked) throw new ServiceError('login_not_found', `platformc.sign_in_email ${signIn.email} is not a login of ${signIn.domain}.`)
    if (signIn.strict)
      throw new ServiceError('login_busy', `platformc.sign_in_email ${signIn.email} is busy or not active, and strict_email is true.`)
    return firstOf(free, signIn)
  },
}

function firstOf(free: readonly Login[], { platform, domain }: SignIn): LoginId {
  const [login] = free
  if (!login)
    throw new ServiceError('no_free_login', `No ${FIELDS[platform].label} login of ${domain} is free: add one, or try again later.`)
  return login.id
}
