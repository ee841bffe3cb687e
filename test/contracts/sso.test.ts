// SAML sign-in of a bot's browser, with a simulated Google that verifies every response.
import { deflateRawSync } from 'node:zlib'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { makeCertificate } from '../../sims/google-accounts/certificate.ts'
import { openForFile } from '../helpers/for-file.ts'
import { fieldsOf, WindowlessBrowser } from '../helpers/meetings/browser-without-window.ts'
import { addWorkspace, samlRequest, sendBot, startSignInBench } from '../helpers/meetings/google-login.ts'
import { startTestService } from '../helpers/service/service.ts'

const bench = openForFile(startSignInBench)
let browser: WindowlessBrowser
beforeEach(() => {
  browser = new WindowlessBrowser(bench.google)
  bench.organisations[bench.acme.domain] = bench.acme.organisation
  bench.obstacles.clear()
  bench.ahead(0)
})

const signInUrl = () => `${bench.service.url}/sso/google/sign-in`

function redirected(document: string): string {
  return `${signInUrl()}?SAMLRequest=${encodeURIComponent(deflateRawSync(document).toString('base64'))}&RelayState=x`
}

const verdict = () => bench.google.accounts.verdicts.at(-1)

describe('a bot’s browser', () => {
  test('goes from its link to Google and back, and is signed in', async () => {
    const vouching = await browser.go(await bench.bot.link())
    expect(vouching.visited.map((it) => it.replace(/\?.*/, ''))).toEqual([
      `${bench.service.url}/sso/google/session`,
      'https://www.google.com/a/acme.example/ServiceLogin',
      signInUrl(),
    ])
    expect(vouching.status).toBe(200)
    const home = await browser.submit(vouching)
    expect(verdict()).toBe('bot@acme.example')
    expect(home.text).toContain('Welcome, bot@acme.example')
    expect(home.url).toBe('https://myaccount.google.com/')
  })

  test('passes Google’s confirmation page, and enters its address on request', async () => {
    bench.obstacles.add('speed bump').add('address')
    const asking = await browser.go(await bench.bot.link())
    expect(asking.url).toContain('accounts.google.com/v3/signin/identifier')
    const bump = await browser.submit(await browser.submit(asking, { identifier: bench.acme.email }))
    expect(bump.url).toContain('/speedbump/samlconfirmaccount')
    expect((await browser.submit(bump)).text).toContain('Welcome, bot@acme.example')
  })

  test('is signed in for a domain-specific issuer', async () => {
    bench.organisations[bench.acme.domain] = { ...bench.acme.organisation, ownIssuer: true }
    expect((await browser.submit(await browser.go(await bench.bot.link()))).text).toContain('Welcome')
  })

  test('is sent back by a form POST', async () => {
    await browser.go(await bench.bot.link(), { follow: false })
    const form = { SAMLRequest: Buffer.from(samlRequest()).toString('base64'), RelayState: '"><script>alert(1)</script>' }
    const page = await browser.go(signInUrl(), { form })
    expect(page.status).toBe(200)
    expect(page.text).not.toContain('<script>alert')
    expect(fieldsOf(page.text).RelayState).toBe(form.RelayState)
  })

  test('gets pages that are not cached, not framed and send no referrer', async () => {
    const opened = await browser.go(await bench.bot.link(), { follow: false })
    expect(opened).toMatchObject({ status: 302, headers: { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' } })
    expect(opened.headers['set-cookie']).toEqual([expect.stringMatching(/; Path=\/sso\/google; Max-Age=1800; HttpOnly; SameSite=Lax$/)])
    const page = await browser.go(opened.headers.location ?? '')
    expect(page.headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
    })
    expect(Buffer.from(fieldsOf(page.text).SAMLResponse ?? '', 'base64').toString()).not.toContain('PRIVATE KEY')
  })

  test('has no session after signing out', async () => {
    await browser.go(await bench.bot.link(), { follow: false })
    const cookie = [...browser.cookies.values()][0]?.value
    expect((await browser.go(`${bench.service.url}/sso/google/sign-out`)).status).toBe(200)
    expect(browser.cookies.size).toBe(0)
    browser.cookies.set('', { name: 'emissary_sign_in', value: cookie ?? '', domain: '127.0.0.1', path: '/' })
    expect((await browser.go(redirected(samlRequest()))).status).toBe(403)
  })

  test('sends its cookie with a cross-site form over TLS', async () => {
    const secure = await startTestService({ BOT_WORKERS: '0', PUBLIC_URL: 'https://bots.example/emissary' })
    const workspace = await addWorkspace(secure, 'tls.example')
    const link = await (await sendBot(secure, workspace)).link(secure.url)
    const opened = await browser.go(link, { follow: false })
    expect(opened.headers['set-cookie']).toEqual([
      expect.stringMatching(/; Path=\/emissary\/sso\/google; .*HttpOnly; SameSite=None; Secure$/),
    ])
    await secure.stop()
  })
})

describe('a link', () => {
  test('works once', async () => {
    const link = await bench.bot.link()
    expect((await browser.go(link, { follow: false })).status).toBe(302)
    const again = await new WindowlessBrowser(bench.google).go(link)
    expect(again).toMatchObject({ status: 403, text: expect.stringContaining('used already') })
    // The cookie is not accepted as a token,
    const [cookie] = browser.cookies.values()
    expect((await browser.go(`${bench.service.url}/sso/google/session?token=${cookie?.value}`)).status).toBe(403)
    // and the token is not accepted as a cookie.
    const thief = new WindowlessBrowser(bench.google)
    const value = new URL(link).searchParams.get('token') ?? ''
    thief.cookies.set('', { name: 'emissary_sign_in', value, domain: '127.0.0.1', path: '/' })
    expect((await thief.go(redirected(samlRequest()))).status).toBe(403)
  })

  test('works for one of a hundred concurrent requests', async () => {
    const link = await bench.bot.link()
    const tries = await Promise.all(Array.from({ length: 100 }, () => new WindowlessBrowser(bench.google).go(link, { follow: false })))
    expect(tries.filter(({ status }) => status === 302)).toHaveLength(1)
  })

  test.each(['', 'x', '%00', `${'a'.repeat(2000)}`])('is rejected with an unknown token: %s', async (token) => {
    expect((await browser.go(`${bench.service.url}/sso/google/session?token=${token}`)).status).toBe(403)
    expect((await browser.go(`${bench.service.url}/sso/google/session?token=${token}&token=${token}`)).status).toBe(403)
  })

  test('expires after half an hour, with its session', async () => {
    await browser.go(await bench.bot.link(), { follow: false })
    const late = await bench.bot.link()
    await sql`update sso_sessions set expires_at = now()`.execute(bench.service.db)
    expect((await new WindowlessBrowser(bench.google).go(late)).status).toBe(403)
    expect((await browser.go(redirected(samlRequest()))).status).toBe(403)
    // A new session removes expired ones.
    await bench.bot.link()
    const { rows } = await sql`select from sso_sessions`.execute(bench.service.db)
    expect(rows).toHaveLength(1)
  })
})

describe('a session', () => {
  test('is identified only by its cookie', async () => {
    expect(await browser.go(redirected(samlRequest()))).toMatchObject({ status: 403, text: expect.stringContaining('no sign-in session') })
    browser.cookies.set('', { name: 'emissary_sign_in', value: 'x'.repeat(43), domain: '127.0.0.1', path: '/' })
    expect((await browser.go(redirected(samlRequest()))).status).toBe(403)
  })

  test('ends with its bot', async () => {
    const { botId, link } = await sendBot(bench.service, bench.acme)
    await browser.go(await link(), { follow: false })
    expect((await browser.go(redirected(samlRequest()))).status).toBe(200)
    await bench.service.api('GET', `/api/v1/bots/${botId}/remove_bot`)
    expect((await browser.go(redirected(samlRequest()))).status).toBe(403)
  })

  test('ends when its login is deactivated, reassigned or deleted', async () => {
    const other = await addWorkspace(bench.service, 'off.example')
    await browser.go(await (await sendBot(bench.service, other)).link(), { follow: false })
    const acsUrl = 'https://www.google.com/a/off.example/acs'
    const ask = () => browser.go(redirected(samlRequest({ acsUrl })))
    expect((await ask()).status).toBe(200)
    await bench.service.api('PATCH', `/api/v1/google-logins/${other.loginId}`, { is_active: false })
    expect((await ask()).status).toBe(403)
    await bench.service.api('DELETE', `/api/v1/google-logins/${other.loginId}`)
    expect((await ask()).status).toBe(403)
  })
})

describe('Google', () => {
  const vouching = async () => browser.go(await bench.bot.link())
  const change = (page: string, edit: (document: string) => string) => ({
    SAMLResponse: Buffer.from(edit(Buffer.from(fieldsOf(page).SAMLResponse ?? '', 'base64').toString())).toString('base64'),
  })

  test.each<[string, (document: string) => string]>([
    ['another account', (it) => it.replaceAll('bot@acme.example', 'boss@acme.example')],
    ['a later expiry', (it) => it.replaceAll(/NotOnOrAfter="[^"]*"/g, 'NotOnOrAfter="2099-01-01T00:00:00.000Z"')],
    ['another audience', (it) => it.replace('<saml:Audience>google.com<', '<saml:Audience>evil.example<')],
    ['no signature', (it) => it.replace(/<ds:Signature .*<\/ds:Signature>/s, '')],
  ])('rejects a response that was modified to have %s', async (_, edit) => {
    const page = await vouching()
    expect((await browser.submit(page, change(page.text, edit))).text).toContain('could not be verified')
    expect(verdict()).toContain('could not be verified')
  })

  test('ignores an unsigned assertion', async () => {
    const page = await vouching()
    const forged = '<saml:Assertion ID="_x"><saml:NameID>boss@acme.example</saml:NameID></saml:Assertion>'
    await browser.submit(
      page,
      change(page.text, (it) => it.replace('<saml:Assertion ', `${forged}<saml:Assertion `)),
    )
    expect(verdict()).toBe('bot@acme.example')
  })

  test('rejects a replayed response', async () => {
    const page = await vouching()
    await browser.submit(page)
    expect((await new WindowlessBrowser(bench.google).submit(page)).text).toContain('could not parse')
  })

  test('rejects an expired response, and one that is not valid yet', async () => {
    bench.ahead(6 * 60_000)
    expect((await browser.submit(await vouching())).text).toContain('have expired')
    bench.ahead(-6 * 60_000)
    expect((await browser.submit(await vouching())).text).toContain('not yet valid')
  })

  test('rejects a key of another organisation', async () => {
    bench.organisations[bench.acme.domain] = { ...bench.acme.organisation, certificate: makeCertificate().certificate }
    expect((await browser.submit(await vouching())).text).toContain('could not be verified')
  })

  test('rejects an unknown account', async () => {
    bench.organisations[bench.acme.domain] = { ...bench.acme.organisation, users: ['somebody@acme.example'] }
    expect((await browser.submit(await vouching())).text).toContain('does not exist')
  })
})
