// The account a bot joins as: taken when it starts, kept when it is sent again, and told how signing in went.
import type { BotId, LoginId, SignIn } from '../../domain/bot.ts'
import { type ErrorCode, type ErrorReason, ServiceError } from '../../domain/errors.ts'
import type { Trigger } from '../../domain/lifecycle.ts'
import type { SignInOrders } from '../../domain/protocol.ts'
import { pickLogin } from '../accounts/logins.ts'
import type { Vault } from '../accounts/secrets.ts'
import { NO_ZOOM_APP, type ServerZoom, zoomAppFor, zoomSignature } from '../accounts/zoom-app.ts'
import { setLogin } from '../db/bots.ts'
import type { DueBot } from '../db/claims.ts'
import { type Db, inTransaction } from '../db/database.ts'
import type { LoginPlatform } from '../db/logins.ts'
import { type BotLogin, loginOfBot, noteSignedIn, noteSignInFailed } from '../db/sign-ins.ts'
import { newSession, type SignInDeps } from '../sso/sign-in.ts'

type NoAccount = { readonly kind: 'none'; readonly reason: ErrorReason; readonly message: string }
type Account = { readonly kind: 'account'; readonly orders: SignInOrders } | { readonly kind: 'guest' } | NoAccount

export type AccountDeps = SignInDeps & { readonly zoom: ServerZoom }

/** What the bot joins with, made for this time it is sent. */
export async function accountFor(deps: AccountDeps, bot: DueBot): Promise<Account> {
  if (bot.platform === 'zoom' && deps.zoom.way === 'sdk') return zoomAccount(deps, bot)
  if (!bot.spec.signIn) return { kind: 'guest' }
  const login = await inTransaction(deps.db, (tx) => holdLogin(tx, bot))
  if ('kind' in login) return login
  const orders = await ORDERS[bot.spec.signIn.platform](deps, bot.id, { ...login, mode: modeOf(bot.spec.signIn, login) })
  return orders
    ? { kind: 'account', orders }
    : nobody('LoginFailed', `${login.email} cannot sign in: its password cannot be decrypted; set it again`)
}

/** The secret of the app stays here. */
async function zoomAccount(deps: AccountDeps, { workspaceId, spec }: DueBot): Promise<Account> {
  const { meeting, zoomToken: token } = spec
  if (meeting.platform !== 'zoom' || meeting.meetingNumber === null) return nobody('InvalidMeetingLink', 'The link has no meeting number')
  const app = await zoomAppFor(deps, deps.zoom, workspaceId)
  if (!app) return nobody('LoginFailed', `The bot cannot join: ${NO_ZOOM_APP}`)
  const { key, secret } = app
  if (secret === null) return nobody('LoginFailed', 'The secret of the workspace’s Zoom app cannot be decrypted; set zoom_sdk_secret again')
  const signature = zoomSignature({ key, secret }, meeting.meetingNumber, deps.now())
  return { kind: 'account', orders: { kind: 'zoom_app', sdkKey: key, signature, token } }
}

/** The request wins over the domain. A bot that was made before a request could say so has no word of its own. */
function modeOf({ required = null }: Partial<SignIn>, { mode }: BotLogin): BotLogin['mode'] {
  if (required === null) return mode
  return required ? 'always' : 'if_required'
}

type MakeOrders = (deps: SignInDeps, bot: BotId, login: BotLogin) => Promise<SignInOrders | null>

/** Null: the account's secret was sealed with another SECRET_KEY. */
const ORDERS: Readonly<Record<LoginPlatform, MakeOrders>> = {
  async google_meet(deps, bot, { id, email, domain, mode }) {
    return { kind: 'saml_session', email, mode, domain, sessionUrl: await newSession(deps, bot, id) }
  },
  async teams({ vault }, _bot, { id, email, mode, secret }) {
    const password = passwordIn(vault, id, secret)
    return password === null ? null : { kind: 'password', email, mode, password }
  },
}

function passwordIn(vault: Vault, owner: LoginId, sealed: Buffer): string | null {
  try {
    const { password } = JSON.parse(vault.open(owner, sealed)) as { readonly password: string }
    return password
  } catch {
    return null
  }
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

/** Microsoft locks an account whose wrong password is tried again and again. */
const WITH_PASSWORDS: readonly LoginPlatform[] = ['teams']

/** What a bot's way in says of its account. */
export async function noteAccount(db: Db, bot: BotId, { by, reason, message }: Report): Promise<void> {
  if (by === 'join_requested') await noteSignedIn(db, bot)
  if (by === 'join_failed' && reason === 'LoginFailed') await noteSignInFailed(db, bot, message ?? 'Signing in failed', WITH_PASSWORDS)
}
