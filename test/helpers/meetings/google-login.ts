// A customer's Google Workspace: its login domain in the service, and its SSO profile at the simulator.
import type { Organisation } from '../../../sims/google-accounts/accounts.ts'
import { type Certificate, makeCertificate } from '../../../sims/google-accounts/certificate.ts'
import { type GoogleAccountsServer, startGoogleAccounts } from '../../../sims/google-accounts/server.ts'
import type { BotId, LoginId } from '../../../src/domain/bot.ts'
import { newSession } from '../../../src/service/sso/sign-in.ts'
import { startTestService, type TestService } from '../service/service.ts'

let pair: Certificate | undefined

/** One for the whole file, because making keys is slow. */
export function keyPair(): Certificate {
  pair ??= makeCertificate()
  return pair
}

export function secretsOf({ key, certificate }: Certificate = keyPair()) {
  return { sso_private_key_pem: key, sso_cert_pem: certificate }
}

export type Workspace = { readonly domain: string; readonly email: string; readonly loginId: LoginId; readonly organisation: Organisation }

export async function addWorkspace({ api, url }: TestService, domain: string, email = `bot@${domain}`): Promise<Workspace> {
  await api('POST', '/api/v1/google-login-domains', { sso_workspace_domain: domain })
  const { status, body } = await api('POST', '/api/v1/google-logins', { domain, email, ...secretsOf() })
  if (status !== 201) throw new Error(`No login: ${JSON.stringify(body)}`)
  const organisation = { signInUrl: `${url}/sso/google/sign-in`, certificate: keyPair().certificate, users: [email] }
  return { domain, email, loginId: body.login_id, organisation }
}

export type SentBot = {
  readonly botId: BotId
  /** A new session link for the browser. */
  link(publicUrl?: string): Promise<string>
}

/** A bot of the workspace in Joining. */
export async function sendBot({ api, db, url }: TestService, { domain, loginId }: Workspace): Promise<SentBot> {
  const meeting = { meeting_link: 'https://meet.google.com/abc-defg-hij', platformb: { platformb_login_domain: domain } }
  const { status, body } = await api('POST', '/api/v1/bots/create_bot', meeting)
  if (status !== 201) throw new Error(`No bot: ${JSON.stringify(body)}`)
  const botId: BotId = body.bot_id
  return { botId, link: (publicUrl = url) => newSession({ db, publicUrl: () => publicUrl, now: () => new Date() }, botId, loginId) }
}

type Obstacle = 'address' | 'speed bump' | 'challenge' | 'refusal'

export type SignInBench = {
  readonly service: TestService
  readonly google: GoogleAccountsServer
  readonly acme: Workspace
  readonly bot: SentBot
  /** Google's view of the organisations, by domain. */
  readonly organisations: Record<string, Organisation>
  readonly obstacles: Set<Obstacle>
  /** Sets Google's clock ahead. */
  ahead(ms: number): void
  stop(): Promise<void>
}

export async function startSignInBench(): Promise<SignInBench> {
  // A node that launches no bots: they stay in Joining and hold their logins.
  const service = await startTestService({ BOT_WORKERS: '0' })
  const acme = await addWorkspace(service, 'acme.example')
  const organisations: Record<string, Organisation> = { [acme.domain]: acme.organisation }
  const obstacles = new Set<Obstacle>()
  let aheadMs = 0
  const google = await startGoogleAccounts({ organisations, obstacles, now: () => new Date(Date.now() + aheadMs) })
  return {
    service,
    google,
    acme,
    organisations,
    obstacles,
    bot: await sendBot(service, acme),
    ahead(ms) {
      aheadMs = ms
    },
    async stop() {
      await google.close()
      await service.stop()
    },
  }
}

/** A SAML request as Google makes one, or a tampered one. */
export function samlRequest({ issuer = 'google.com', acsUrl = 'https://www.google.com/a/acme.example/acs', id = '_a1' } = {}): string {
  const names = 'xmlns:p="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:a="urn:oasis:names:tc:SAML:2.0:assertion"'
  const attributes = `ID="${id}" Version="2.0" AssertionConsumerServiceURL="${acsUrl}"`
  return `<p:AuthnRequest ${names} ${attributes}><a:Issuer>${issuer}</a:Issuer></p:AuthnRequest>`
}
