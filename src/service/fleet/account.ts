// The account a bot joins as: taken when it starts, kept when it is sent again, and told how signing in went.
import type { BotId } from '../../domain/bot.ts'
import { type ErrorCode, type ErrorReason, ServiceError } from '../../domain/errors.ts'
import type { Trigger } from '../../domain/lifecycle.ts'
import type { SignInOrders } from '../../domain/protocol.ts'
import { pickLogin } from '../accounts/logins.ts'
import { setLogin } from '../db/bots.ts'
import type { DueBot } from '../db/claims.ts'
import { type Db, inTransaction } from '../db/database.ts'
import { type BotLogin, loginOfBot, noteSignedIn, noteSignInFailed } from '../db/sign-ins.ts'
import { newSession, type SessionDeps } from '../sso/sign-in.ts'

type NoAccount = { readonly kind: 'none'; readonly reason: ErrorReason; readonly message: string }
type Account = { readonly kind: 'account'; readonly orders: SignInOrders } | { readonly kind: 'guest' } | NoAccount

/** How the bot signs in, with a session made for this time it is sent. */
export async function accountFor(deps: SessionDeps, bot: DueBot): Promise<Account> {
  if (bot.spec.signIn?.platform !== 'google_meet') return { kind: 'guest' }
  const login = await inTransaction(deps.db, (tx) => holdLogin(tx, bot))
  if ('kind' in login) return login
  const { email, domain, mode, id } = login
  return { kind: 'account', orders: { email, domain, mode, sessionUrl: await newSession(deps, bot.id, id) } }
}

/** Its own, or another one where that was deleted or switched off since. */
async function holdLogin(tx: Db, { id, workspaceId, spec }: DueBot): Promise<BotLogin | NoAccount> {
  const own = await loginOfBot(tx, id)
  if (own?.isActive || !spec.signIn) return own ?? nobody('InternalError', 'The bot was to sign in, and nobody said where')
  try {
    await setLogin(tx, id, await pickLogin(tx, workspaceId, spec.signIn))
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return nobody(BUSY.has(error.code) ? 'LoginBusy' : 'LoginFailed', error.message)
  }
  return (await loginOfBot(tx, id)) ?? nobody('LoginFailed', `${spec.signIn.domain} is no login domain any more`)
}

const BUSY: ReadonlySet<ErrorCode> = new Set(['no_free_login', 'login_busy'])

function nobody(reason: ErrorReason, message: string): NoAccount {
  return { kind: 'none', reason, message }
}

type Report = { readonly by: Trigger; readonly reason?: ErrorReason | undefined; readonly message?: string | undefined }

/** What a bot's way in says of its account. */
export async function noteAccount(db: Db, bot: BotId, { by, reason, message }: Report): Promise<void> {
  if (by === 'join_requested') await noteSignedIn(db, bot)
  if (by === 'join_failed' && reason === 'LoginFailed') await noteSignInFailed(db, bot, message ?? 'Signing in failed')
}
