// The account that a bot joins with: chosen at its start, kept when it is sent again, and updated with the sign-in's outcome.
import type { BotId, LoginId, SignIn } from '../../../domain/bot.ts'
import { type ErrorCode, type ErrorReason, ServiceError } from '../../../domain/errors.ts'
import type { Trigger } from '../../../domain/lifecycle.ts'
import type { SignInOrders } from '../../../domain/protocol.ts'
import { pickLogin } from '../../accounts/logins.ts'
import type { Vault } from '../../accounts/secrets.ts'
import { NO_TOKENS_ON_THE_WEB, NO_ZOOM_APP, type ServerZoom, zoomAppFor, zoomSignature } from '../../accounts/zoom-app.ts'
import type { LoginPlatform } from '../../db/accounts/logins.ts'
import { type Db, inTransaction } from '../../db/database.ts'
import { setLogin } from '../../db/fleet/bots.ts'
import type { DueBot } from '../../db/fleet/claims.ts'
import { type BotLogin, loginOfBot, noteSignedIn, noteSignInFailed } from '../../db/fleet/sign-ins.ts'
import { newSession, type SignInDeps } from '../../sso/sign-in.ts'

type NoAccount = { readonly kind: 'none'; readonly reason: ErrorReason; readonly message: string }
type Account = { readonly kind: 'account'; readonly orders: SignInOrders } | { readonly kind: 'guest' } | NoAccount

export type AccountDeps = SignInDeps & { readonly zoom: ServerZoom }

/** Made anew each time the bot is sent. */
export async function accountFor(deps: AccountDeps, bot: DueBot): Promise<Account> {
  if (bot.platform === 'zoom' && deps.zoom.way === 'sdk') return zoomAccount(deps, bot)
  // Created while the server joined by the SDK.
  if (bot.platform === 'zoom' && bot.spec.zoomToken) return noAccount('LoginFailed', `The bot cannot join: ${NO_TOKENS_ON_THE_WEB}`)
  if (!bot.spec.signIn) return { kind: 'guest' }
  const login = await inTransaction(deps.db, (tx) => holdLogin(tx, bot))
  if ('kind' in login) return login
  const orders = await ORDERS[bot.spec.signIn.platform](deps, bot.id, { ...login, mode: modeOf(bot.spec.signIn, login) })
  return orders
    ? { kind: 'account', orders }
    : noAccount('LoginFailed', `${login.email} cannot sign in: its password cannot be decrypted; set it again`)
}

/** The app's secret never leaves the service. */
async function zoomAccount(deps: AccountDeps, { workspaceId, spec }: DueBot): Promise<Account> {
  const { meeting, zoomToken: token } = spec
  if (meeting.platform !== 'zoom' || meeting.meetingNumber === null)
    return noAccount('InvalidMeetingLink', 'The link has no meeting number')
  const app = await zoomAppFor(deps, deps.zoom, workspaceId)
  if (!app) return noAccount('LoginFailed', `The bot cannot join: ${NO_ZOOM_APP}`)
  const { key, secret } = app
  if (secret === null)
    return noAccount('LoginFailed', 'The secret of the workspace’s Zoom app cannot be decrypted; set zoom_sdk_secret again')
  const signature = zoomSignature({ key, secret }, meeting.meetingNumber, deps.now())
  return { kind: 'account', orders: { kind: 'zoom_app', sdkKey: key, signature, token } }
}

/** The request overrides the domain's setting. Bots created before that option existed have none. */
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

/** The bot's account, or another one if that was deleted or disabled. */
async function holdLogin(tx: Db, { id, workspaceId, spec }: DueBot): Promise<BotLogin | NoAccount> {
  const own = await loginOfBot(tx, id)
  if (own?.isActive || !spec.signIn) return own ?? noAccount('InternalError', 'The bot has no sign-in settings')
  try {
    await setLogin(tx, id, await pickLogin(tx, workspaceId, spec.signIn))
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return noAccount(BUSY.has(error.code) ? 'LoginBusy' : 'LoginFailed', error.message)
  }
  return (await loginOfBot(tx, id)) ?? noAccount('LoginFailed', `${spec.signIn.domain} is no login domain any more`)
}

const BUSY: ReadonlySet<ErrorCode> = new Set(['no_free_login', 'login_busy'])

function noAccount(reason: ErrorReason, message: string): NoAccount {
  return { kind: 'none', reason, message }
}

type Report = { readonly by: Trigger; readonly reason?: ErrorReason | undefined; readonly message?: string | undefined }

/** Microsoft locks an account after repeated wrong passwords. */
const WITH_PASSWORDS: readonly LoginPlatform[] = ['teams']

/** Records on the account how the bot's join ended. */
export async function noteAccount(db: Db, bot: BotId, { by, reason, message }: Report): Promise<void> {
  if (by === 'join_requested') await noteSignedIn(db, bot)
  if (by === 'join_failed' && reason === 'LoginFailed') await noteSignInFailed(db, bot, message ?? 'Signing in failed', WITH_PASSWORDS)
}
