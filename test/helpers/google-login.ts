// A customer's Google Workspace, half here and half at the simulator: its login domain with us, its SSO profile with Google.
import type { Organisation } from '../../sims/google-accounts/accounts.ts'
import { type Certificate, makeCertificate } from '../../sims/google-accounts/certificate.ts'
import { type GoogleAccountsServer, startGoogleAccounts } from '../../sims/google-accounts/server.ts'
import type { BotId, LoginId } from '../../src/domain/bot.ts'
import { newSession } from '../../src/service/sso/sign-in.ts'
import { startTestService, type TestService } from './service.ts'

let pair: Certificate | undefined

/** One for the whole file: keys take their time. */
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
  /** A new link for its browser. */
  link(publicUrl?: string): Promise<string>
}

/** A bot of the workspace that is on its way. */
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
  /** As Google has them, by domain. */
  readonly organisations: Record<string, Organisation>
  readonly inTheWay: Set<Obstacle>
  /** Puts Google's clock ahead. */
  ahead(ms: number): void
  stop(): Promise<void>
}

export async function startSignInBench(): Promise<SignInBench> {
  // A node that sends no bots: they stay in Joining and hold their logins.
  const service = await startTestService({ BOT_HOSTS: '0' })
  const acme = await addWorkspace(service, 'acme.example')
  const organisations: Record<string, Organisation> = { [acme.domain]: acme.organisation }
  const inTheWay = new Set<Obstacle>()
  let aheadMs = 0
  const google = await startGoogleAccounts({ organisations, inTheWay, now: () => new Date(Date.now() + aheadMs) })
  return {
    ...{ service, google, acme, organisations, inTheWay },
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

/** A request as Google makes one, or as somebody would like it to be. */
export function samlRequest({ issuer = 'google.com', acsUrl = 'https://www.google.com/a/acme.example/acs', id = '_a1' } = {}): string {
  const names = 'xmlns:p="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:a="urn:oasis:names:tc:SAML:2.0:assertion"'
  const attributes = `ID="${id}" Version="2.0" AssertionConsumerServiceURL="${acsUrl}"`
  return `<p:AuthnRequest ${names} ${attributes}><a:Issuer>${issuer}</a:Issuer></p:AuthnRequest>`
}
