// A real browser signs in through the SSO link and Google's pages, or fails with an explanation.
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { makeCertificate } from '../../../sims/google-accounts/certificate.ts'
import { launchBrowser } from '../../../src/bot/drivers/browser.ts'
import { signIn } from '../../../src/bot/drivers/google-meet/sign-in.ts'
import { type SignInBench, startSignInBench } from '../../helpers/meetings/google-login.ts'
import { until } from '../../helpers/until.ts'

let bench: SignInBench
let browser: Browser
let page: Page
beforeAll(async () => {
  bench = await startSignInBench()
  const { port, tls } = bench.google
  const rules = ['accounts', 'www', 'myaccount', 'mail'].map((name) => `MAP ${name}.google.com 127.0.0.1:${port}`)
  browser = await launchBrowser(undefined, [
    `--host-resolver-rules=${rules.join(', ')}`,
    `--ignore-certificate-errors-spki-list=${tls.spki}`,
  ])
})
afterAll(async () => {
  await browser?.close()
  await bench?.stop()
})
beforeEach(async () => {
  bench.organisations[bench.acme.domain] = bench.acme.organisation
  bench.obstacles.clear()
  page = await (await browser.newContext({ locale: 'en-US' })).newPage()
})
afterEach(() => page.context().close())

async function tryToSignIn(change: { email?: string; sessionUrl?: string } = {}, signal = new AbortController().signal) {
  const { email, domain } = bench.acme
  return signIn(page, { kind: 'saml_session', email, domain, mode: 'always', sessionUrl: await bench.bot.link(), ...change }, signal)
}

const cookieNames = async () => (await page.context().cookies('https://meet.google.com')).map(({ name }) => name)

test('signs the browser in to the account without exposing its secret', async () => {
  const seen: string[] = []
  page.on('request', (request) => seen.push(`${request.url()} ${request.postData() ?? ''}`))
  expect(await tryToSignIn()).toBeNull()
  expect(await cookieNames()).toEqual(expect.arrayContaining(['SID', 'HSID', 'SAPISID']))
  const header = (await page.context().cookies('https://accounts.google.com')).map(({ name, value }) => `${name}=${value}`).join('; ')
  expect(bench.google.accounts.signedInAs(header)).toBe('bot@acme.example')
  expect(seen.length).toBeGreaterThan(3)
  expect(seen.join('\n')).not.toContain('PRIVATE')
})

test('types the address when Google asks for it, and confirms the speed bump', async () => {
  bench.obstacles.add('address').add('speed bump')
  expect(await tryToSignIn()).toBeNull()
  expect(await cookieNames()).toContain('SID')
})

describe('a login that fails', () => {
  test.each([
    ['challenge' as const, /another proof.*2-Step Verification/],
    ['refusal' as const, /refused it.*Couldn’t sign you in/],
  ])('reports LoginFailed with the cause at a %s page', async (obstacle, message) => {
    bench.obstacles.add(obstacle)
    expect(await tryToSignIn()).toMatchObject({ reason: 'LoginFailed', message: expect.stringMatching(message) })
  })

  test('reports LoginFailed with the cause when Google has another certificate', async () => {
    bench.organisations[bench.acme.domain] = { ...bench.acme.organisation, certificate: makeCertificate().certificate }
    expect(await tryToSignIn()).toMatchObject({
      reason: 'LoginFailed',
      message: expect.stringMatching(/^bot@acme\.example could not be signed in: .*could not be verified/),
    })
  })

  test('reports LoginFailed with the cause when the domain has no single sign-on', async () => {
    delete bench.organisations[bench.acme.domain]
    expect(await tryToSignIn()).toMatchObject({ message: expect.stringContaining('no single sign-on for acme.example') })
  })

  test('reports LoginFailed with the cause when the account has a password or does not exist', async () => {
    bench.obstacles.add('address')
    expect(await tryToSignIn({ email: 'bot@gmail.com' })).toMatchObject({ message: expect.stringContaining('asks for a password') })
    expect(await tryToSignIn({ email: 'bot@nobody.example' })).toMatchObject({
      message: expect.stringContaining('find your Google Account'),
    })
  })

  test('reports LoginFailed with the cause when the organisation does not have the account', async () => {
    bench.organisations[bench.acme.domain] = { ...bench.acme.organisation, users: [] }
    expect(await tryToSignIn()).toMatchObject({ message: expect.stringContaining('does not exist in this organization') })
  })

  test('reports LoginFailed with the cause when the link was used before or its server is unreachable', async () => {
    const sessionUrl = await bench.bot.link()
    expect(await tryToSignIn({ sessionUrl })).toBeNull()
    await page.context().clearCookies()
    expect(await tryToSignIn({ sessionUrl })).toMatchObject({ message: expect.stringContaining('This sign-in link was used already') })
    expect(await tryToSignIn({ sessionUrl: 'http://127.0.0.1:9/sso' })).toMatchObject({
      message: expect.stringContaining('could not reach'),
    })
  })
})

test('rejects when it is aborted', async () => {
  bench.organisations[bench.acme.domain] = { ...bench.acme.organisation, signInUrl: 'https://mail.google.com/somewhere' }
  const stop = new AbortController()
  const trying = tryToSignIn({}, stop.signal)
  const stopped = expect(trying).rejects.toThrow('interrupted')
  await until('the page is under way', () => page.url().includes('google.com'))
  stop.abort('Removed on request')
  await stopped
})
