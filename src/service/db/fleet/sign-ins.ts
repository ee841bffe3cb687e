// Sign-in of bots: the account of each, its browser's session at our sign-in page, and the outcome.
import { sql } from 'kysely'
import type { BotId, LoginId } from '../../../domain/bot.ts'
import type { Login, LoginMode, LoginPlatform } from '../accounts/logins.ts'
import type { Db } from '../database.ts'
import { firstRow, firstValue } from '../query.ts'
import { running } from './bots.ts'

/** This many expired sessions are deleted with each insert. */
const FORGOTTEN_AT_ONCE = 100

export type BotLogin = Pick<Login, 'id' | 'email' | 'domain' | 'isActive'> & {
  readonly mode: LoginMode
  /** Sealed for this id. */
  readonly secret: Buffer
}

/** The account of the bot; null: it has none, or the account was deleted. */
export function loginOfBot(db: Db, bot: BotId): Promise<BotLogin | null> {
  return firstRow<BotLogin>(db)`
    select it.id, it.email, it.domain, it.is_active as "isActive", login_mode as mode, it.secret
    from bots join logins it on it.id = bots.login_id join login_domains of_it on of_it.platform = it.platform and of_it.domain = it.domain
    where bots.id = ${bot}`
}

export type NewSession = {
  readonly digest: Buffer
  readonly botId: BotId
  readonly loginId: LoginId
  readonly at: Date
  readonly until: Date
}

export async function insertSession(db: Db, { digest, botId, loginId, at, until }: NewSession): Promise<void> {
  await sql`
    with over as (
      delete from sso_sessions where digest in (
        select digest from sso_sessions where expires_at <= ${at} limit ${FORGOTTEN_AT_ONCE} for update skip locked
      )
    )
    insert into sso_sessions (digest, bot_id, login_id, expires_at) values (${digest}, ${botId}, ${loginId}, ${until})`.execute(db)
}

type Exchange = { readonly token: Buffer; readonly cookie: Buffer; readonly at: Date }

/** Exchanges the link's token for the browser's cookie, once, and returns the account's domain. */
export function useSession(db: Db, { token, cookie, at }: Exchange): Promise<string | null> {
  return firstValue<string>(db)`
    update sso_sessions set digest = ${cookie}, used_at = ${at} from logins
    where digest = ${token} and used_at is null and expires_at > ${at} and logins.id = login_id
    returning domain`
}

export type SignInSession = { readonly loginId: LoginId; readonly email: string; readonly domain: string; readonly secret: Buffer }

/** The account of the browser with this cookie. Null: the bot has ended or has another account, or the account is disabled. */
export function findSession(db: Db, { cookie, at }: Omit<Exchange, 'token'>): Promise<SignInSession | null> {
  return firstRow<SignInSession>(db)`
    select logins.id as "loginId", email, domain, secret
    from sso_sessions join logins on logins.id = login_id
    where digest = ${cookie} and used_at is not null and expires_at > ${at} and is_active
      and exists (select from bots where bots.id = bot_id and bots.login_id = logins.id and ${running})`
}

export async function markSigned(db: Db, { cookie, at }: Omit<Exchange, 'token'>): Promise<void> {
  await sql`update sso_sessions set signed_at = ${at} where digest = ${cookie}`.execute(db)
}

export async function deleteSession(db: Db, cookie: Buffer): Promise<void> {
  await sql`delete from sso_sessions where digest = ${cookie} and used_at is not null`.execute(db)
}

/** `switchedOff`: platforms on which a failed account stays disabled until an operator enables it. */
export async function noteSignInFailed(db: Db, bot: BotId, message: string, switchedOff: readonly LoginPlatform[]): Promise<void> {
  await sql`
    update logins set last_error = ${message}, is_active = is_active and logins.platform <> all(${[...switchedOff]}::text[])
    from bots where bots.id = ${bot} and logins.id = login_id`.execute(db)
}

/** Marks the account as working, if a SAML response was issued. A bot that entered as a guest proves nothing. */
export async function noteSignedIn(db: Db, bot: BotId): Promise<void> {
  await sql`
    update logins set last_error = null from bots
    where bots.id = ${bot} and logins.id = bots.login_id and last_error is not null
      and exists (select from sso_sessions it where it.bot_id = bots.id and it.login_id = logins.id and signed_at is not null)`.execute(db)
}
