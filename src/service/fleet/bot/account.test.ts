import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { claimAll, createTestFleet, specFor } from '../../../../test/helpers/service/fleet.ts'
import { databaseForFile } from '../../../../test/helpers/service/for-file.ts'
import type { BotId, LoginId, WorkspaceId } from '../../../domain/bot.ts'
import type { AccountOrders } from '../../../domain/protocol.ts'
import { newId } from '../../../kit/id.ts'
import { createVault } from '../../accounts/secrets.ts'
import { zoomSignature } from '../../accounts/zoom-app.ts'
import { setZoomApp } from '../../db/accounts/accounts.ts'
import { changeDomain, changeLogin, deleteDomain, insertDomain, insertLogin, listLogins } from '../../db/accounts/logins.ts'
import type { DueBot } from '../../db/fleet/claims.ts'
import { markSigned } from '../../db/fleet/sign-ins.ts'
import { beginSession } from '../../sso/sign-in.ts'
import { accountFor, noteAccount } from './account.ts'

const VAULT = createVault('a secret key')
const NO_APP = { way: 'sdk', app: null, obstacle: null } as const
const TEAMS = 'https://teams.microsoft.com/meet/2345678901234?p=abcDEF'
const MEET = 'https://meet.google.com/abc-defg-hij'

const database = databaseForFile()

/** A workspace with accounts, and a due bot of it. */
async function bench(domain: string, ...names: string[]) {
  const { db } = database
  const fleet = await createTestFleet(db)
  const { workspaceId } = fleet
  await insertDomain(db, { platform: 'google_meet', domain, workspaceId, name: null, loginMode: 'if_required', createdAt: new Date() })
  const ids = new Map<string, LoginId>()
  for (const name of names) ids.set(name, await addLogin(workspaceId, domain, `${name}@${domain}`))
  const spec = specFor(MEET, { signIn: { platform: 'google_meet', domain, email: null, strict: false, required: null } })
  const botId = (await fleet.create({ spec })) as BotId
  const off = async (name: string) =>
    changeLogin(db, { workspaceId, platform: 'google_meet', id: ids.get(name) ?? '' }, { isActive: false })
  const errors = async () => (await listLogins(db, workspaceId, 'google_meet')).map(({ lastError }) => lastError)
  const deps = { db, vault: VAULT, zoom: NO_APP, publicUrl: () => 'https://bots.example', now: () => new Date() }
  return { deps, workspaceId, botId, due: await dueBot(botId), off, errors }
}

async function addLogin(workspaceId: WorkspaceId, domain: string, email: string): Promise<LoginId> {
  const id = newId('lgn', new Date()) as LoginId
  const platform = 'google_meet'
  await insertLogin(database.db, { id, platform, domain, workspaceId, email, secret: Buffer.from('x'), isActive: true, at: new Date() })
  return id
}

async function dueBot(id: string): Promise<DueBot> {
  const bot = (await claimAll(database.db)).find((it) => it.id === id)
  if (!bot) throw new Error('the bot is not due')
  return bot
}

function ordersIn(account: Awaited<ReturnType<typeof accountFor>>): AccountOrders {
  if (account.kind !== 'account' || account.orders.kind === 'zoom_app') throw new Error('the bot has no account')
  return account.orders
}

test('gives a guest no account', async () => {
  const fleet = await createTestFleet(database.db)
  const due = await dueBot(await fleet.create())
  expect(await accountFor({ db: database.db, vault: VAULT, zoom: NO_APP, publicUrl: () => '', now: () => new Date() }, due)).toEqual({
    kind: 'guest',
  })
})

test('gives a bot a new sign-in link each time it is sent, and never the secret', async () => {
  const { deps, due } = await bench('first.example', 'a')
  const first = await accountFor(deps, due)
  expect(first).toEqual({
    kind: 'account',
    orders: {
      kind: 'saml_session',
      email: 'a@first.example',
      domain: 'first.example',
      mode: 'if_required',
      sessionUrl: expect.stringMatching(/^https:\/\/bots\.example\/sso\/google\/session\?token=[\w-]{43}$/),
    },
  })
  const again = await accountFor(deps, due)
  expect(again).toMatchObject({ kind: 'account', orders: { email: 'a@first.example' } })
  expect(again).not.toEqual(first)
})

test('signs in at once or only if required, as the domain’s setting says', async () => {
  const { deps, due, workspaceId } = await bench('mode.example', 'a')
  await changeDomain(deps.db, { workspaceId, platform: 'google_meet', domain: 'mode.example' }, { loginMode: 'always' })
  expect(await accountFor(deps, due)).toMatchObject({ orders: { mode: 'always' } })
})

test('replaces the disabled account of a bot, and keeps the replacement', async () => {
  const { deps, due, off } = await bench('off.example', 'a', 'b')
  const first = await accountFor(deps, due)
  const own = ordersIn(first).email.slice(0, 1)
  await off(own)
  const other = await accountFor(deps, due)
  expect(other).toMatchObject({ kind: 'account', orders: { email: `${own === 'a' ? 'b' : 'a'}@off.example` } })
  expect(await accountFor(deps, due)).toMatchObject({ orders: { email: ordersIn(other).email } })
})

test('fails with LoginBusy or LoginFailed when no account is left', async () => {
  const { deps, due, off, workspaceId } = await bench('none.example', 'a')
  await off('a')
  expect(await accountFor(deps, due)).toMatchObject({ kind: 'none', reason: 'LoginBusy', message: expect.stringContaining('none.example') })
  await deleteDomain(deps.db, { workspaceId, platform: 'google_meet', domain: 'none.example' })
  expect(await accountFor(deps, due)).toMatchObject({
    kind: 'none',
    reason: 'LoginFailed',
    message: expect.stringContaining('not registered'),
  })
})

test('records a failed sign-in on the account, and clears it after a join with a signed SAML response', async () => {
  const { deps, due, botId, errors } = await bench('noted.example', 'a')
  const account = await accountFor(deps, due)
  await noteAccount(deps.db, botId, { by: 'join_failed', reason: 'LoginFailed', message: 'Google asks for a password' })
  expect(await errors()).toEqual(['Google asks for a password'])
  await noteAccount(deps.db, botId, { by: 'join_failed', reason: 'InternalError', message: 'Something else' })
  // No SAML response was signed: the bot joined as a guest.
  await noteAccount(deps.db, botId, { by: 'join_requested' })
  expect(await errors()).toEqual(['Google asks for a password'])
  const link = new URL(account.kind === 'account' && account.orders.kind === 'saml_session' ? account.orders.sessionUrl : '')
  const session = await beginSession(deps, link.searchParams.get('token') ?? '')
  const cookie = createHash('sha256')
    .update(session?.cookie ?? '')
    .digest()
  await markSigned(deps.db, { cookie, at: new Date() })
  await noteAccount(deps.db, botId, { by: 'join_requested' })
  expect(await errors()).toEqual([null])
})

test('gives a Teams bot its login’s password, unless another SECRET_KEY sealed it', async () => {
  const { db } = database
  const fleet = await createTestFleet(db)
  const { workspaceId } = fleet
  const [platform, domain, at] = ['teams' as const, 'password.example', new Date()]
  await insertDomain(db, { platform, domain, workspaceId, name: null, loginMode: 'always', createdAt: at })
  const id = newId('lgn', at) as LoginId
  const secret = VAULT.seal(id, JSON.stringify({ password: 'open sesame' }))
  await insertLogin(db, { id, platform, domain, workspaceId, email: 'bot@password.example', secret, isActive: true, at })
  const spec = specFor(TEAMS, { signIn: { platform, domain, email: null, strict: false, required: null } })
  const due = await dueBot(await fleet.create({ spec }))
  const deps = { db, vault: VAULT, zoom: NO_APP, publicUrl: () => '', now: () => at }
  expect(await accountFor(deps, due)).toEqual({
    kind: 'account',
    orders: { kind: 'password', email: 'bot@password.example', mode: 'always', password: 'open sesame' },
  })
  const modeWith = async (required: boolean) => {
    const spec = specFor(TEAMS, { signIn: { platform, domain, email: null, strict: false, required } })
    return ordersIn(await accountFor(deps, { ...due, spec })).mode
  }
  expect([await modeWith(true), await modeWith(false)], 'login_required wins over the domain').toEqual(['always', 'if_required'])
  expect(await accountFor({ ...deps, vault: createVault('another key') }, due)).toMatchObject({
    kind: 'none',
    reason: 'LoginFailed',
    message: 'bot@password.example cannot sign in: its password cannot be decrypted; set it again',
  })
})

const ZOOM = 'https://us02web.zoom.us/j/81234567890?pwd=secret.1'

/** A due Zoom bot in a workspace that may have an app of its own. */
async function zoomBench(own: { readonly key: string; readonly secret: string } | null, spec = specFor(ZOOM)) {
  const { db } = database
  const fleet = await createTestFleet(db)
  const { workspaceId } = fleet
  if (own) await setZoomApp(db, workspaceId, { key: own.key, secret: VAULT.seal(workspaceId, own.secret) })
  const due = await dueBot(await fleet.create({ spec }))
  const zoom = { way: 'sdk', app: { key: 'server key', secret: 'server secret' }, obstacle: null } as const
  const at = new Date()
  return { due, at, deps: { db, vault: VAULT, zoom, publicUrl: () => '', now: () => at } }
}

test('gives a Zoom bot a signature of the server’s app and no secret', async () => {
  const token = { kind: 'zak', url: 'https://tokens.example/zak' } as const
  const { due, deps, at } = await zoomBench(null, specFor(ZOOM, { zoomToken: token }))
  const signature = zoomSignature(deps.zoom.app, '81234567890', at)
  const account = await accountFor(deps, due)
  expect(account).toEqual({ kind: 'account', orders: { kind: 'zoom_app', sdkKey: 'server key', signature, token } })
  expect(JSON.stringify(account)).not.toContain('server secret')
})

test('prefers the workspace’s Zoom app to the server’s', async () => {
  const own = { key: 'own key', secret: 'own secret' }
  const { due, deps, at } = await zoomBench(own)
  const signature = zoomSignature(own, '81234567890', at)
  const orders = { kind: 'zoom_app', sdkKey: 'own key', signature, token: null }
  expect(await accountFor(deps, due)).toEqual({ kind: 'account', orders })
})

test('does not fall back to the server’s Zoom app when the workspace’s secret cannot be decrypted', async () => {
  const { due, deps } = await zoomBench({ key: 'own key', secret: 'own secret' })
  expect(await accountFor({ ...deps, vault: createVault('another key') }, due)).toEqual({
    kind: 'none',
    reason: 'LoginFailed',
    message: 'The secret of the workspace’s Zoom app cannot be decrypted; set zoom_sdk_secret again',
  })
})

test('names the missing settings of a Zoom app, and needs none in the web client', async () => {
  const { due, deps } = await zoomBench(null)
  expect(await accountFor({ ...deps, zoom: NO_APP }, due)).toMatchObject({
    kind: 'none',
    reason: 'LoginFailed',
    message: expect.stringMatching(/zoom_sdk_key and zoom_sdk_secret of the workspace .* ZOOM_SDK_KEY and ZOOM_SDK_SECRET of the server/),
  })
  expect(await accountFor({ ...deps, zoom: { way: 'web', app: null, obstacle: null } }, due)).toEqual({ kind: 'guest' })
})

test('refuses a Zoom bot with a token in the web client', async () => {
  const token = { kind: 'obf', url: 'https://tokens.example/obf' } as const
  const { due, deps } = await zoomBench(null, specFor(ZOOM, { zoomToken: token }))
  expect(await accountFor({ ...deps, zoom: { way: 'web', app: null, obstacle: null } }, due)).toMatchObject({
    kind: 'none',
    reason: 'LoginFailed',
    message: expect.stringMatching(/^The bot cannot join: zak_url and obf_url need Zoom’s SDK/),
  })
})
