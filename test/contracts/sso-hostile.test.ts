// Hostile requests to the sign-in page: wrong issuers and recipients, and invalid SAML requests.
import { deflateRawSync } from 'node:zlib'
import { beforeEach, describe, expect, test } from 'vitest'
import { openForFile } from '../helpers/for-file.ts'
import { fieldsOf, WindowlessBrowser } from '../helpers/meetings/browser-without-window.ts'
import { samlRequest, startSignInBench } from '../helpers/meetings/google-login.ts'

const bench = openForFile(startSignInBench)
let browser: WindowlessBrowser
beforeEach(async () => {
  browser = new WindowlessBrowser(bench.google)
  // A session without a sign-in request so far.
  await browser.go(await bench.bot.link(), { follow: false })
})

const signInUrl = () => `${bench.service.url}/sso/google/sign-in`

function redirected(document: string): string {
  return `${signInUrl()}?SAMLRequest=${encodeURIComponent(deflateRawSync(document).toString('base64'))}&RelayState=x`
}

describe('a SAML response', () => {
  test.each([
    ['another host', { acsUrl: 'https://evil.example/a/acme.example/acs' }],
    ['a host that begins like Google’s', { acsUrl: 'https://www.google.com.evil.example/a/acme.example/acs' }],
    ['a host behind user information', { acsUrl: 'https://www.google.com@evil.example/a/acme.example/acs' }],
    ['plain http', { acsUrl: 'http://www.google.com/a/acme.example/acs' }],
    ['another domain', { acsUrl: 'https://www.google.com/a/other.example/acs' }],
    ['another path', { acsUrl: 'https://www.google.com/url?q=https://evil.example' }],
    ['a path that leaves the domain', { acsUrl: 'https://www.google.com/a/acme.example/../other.example/acs' }],
    ['another issuer', { issuer: 'https://evil.example' }],
    ['the issuer of another domain', { issuer: 'google.com/a/other.example' }],
    [
      'the address of another profile',
      { issuer: 'https://accounts.google.com/samlrp/one', acsUrl: 'https://accounts.google.com/samlrp/two/acs' },
    ],
    ['a script', { acsUrl: 'javascript:alert(1)' }],
  ])('is not sent to %s', async (_, change) => {
    const page = await browser.go(redirected(samlRequest(change)))
    expect(page.status).toBe(400)
    expect(page.text).not.toContain('SAMLResponse')
  })

  test.each([
    ['https://accounts.google.com/samlrp/0abc', 'https://accounts.google.com/samlrp/0abc/acs'],
    ['https://accounts.google.com/samlrp/metadata?rpid=0abc', 'https://accounts.google.com/samlrp/acs?rpid=0abc'],
  ])('is sent to a profile of the organisation: %s', async (issuer, acsUrl) => {
    const page = await browser.go(redirected(samlRequest({ issuer, acsUrl })))
    expect(page.text).toContain(`action="${acsUrl}"`)
    expect(Buffer.from(fieldsOf(page.text).SAMLResponse ?? '', 'base64').toString()).toContain(`<saml:Audience>${issuer}</saml:Audience>`)
  })
})

const BOMB = `<!DOCTYPE x [<!ENTITY a "ha">${Array.from({ length: 9 }, (_, i) => `<!ENTITY ${'bcdefghij'[i]} "${`&${'abcdefghi'[i]};`.repeat(10)}">`).join('')}]>`

describe('an invalid SAML request', () => {
  test.each([
    ['an empty request', ''],
    ['text that is not XML', 'hello'],
    ['an entity bomb', BOMB + samlRequest().replace('google.com<', '&j;<')],
    [
      'an entity that reads a file',
      `<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>${samlRequest().replace('google.com<', '&f;<')}`,
    ],
    ['an undefined entity', samlRequest().replace('google.com<', '&nobody;<')],
    ['a processing instruction', `<?php evil ?>${samlRequest()}`],
    ['CDATA', samlRequest().replace('google.com<', '<![CDATA[google.com]]><')],
    ['two documents', samlRequest() + samlRequest()],
    ['a truncated document', samlRequest().slice(0, -20)],
    ['crossed tags', samlRequest().replace('</a:Issuer></p:AuthnRequest>', '</p:AuthnRequest></a:Issuer>')],
    ['a repeated attribute', samlRequest().replace('Version="2.0"', 'Version="2.0" ID="_b"')],
    ['another kind of request', samlRequest().replaceAll('AuthnRequest', 'LogoutRequest')],
    ['another namespace', samlRequest().replace('SAML:2.0:protocol', 'SAML:3.0:protocol')],
    ['an id with markup', samlRequest({ id: '&quot;&gt;&lt;x' })],
    ['5,000 nested elements', samlRequest().replace('<a:Issuer>', '<a:Issuer>'.repeat(5000))],
    ['a deflated megabyte', samlRequest().replace('google.com<', `${' '.repeat(1_000_000)}google.com<`)],
  ])('is rejected: %s', async (_, document) => {
    expect(await browser.go(redirected(document))).toMatchObject({ status: 400, text: expect.stringContaining('not a sign-in request') })
    const form = { SAMLRequest: Buffer.from(document).toString('base64') }
    expect((await browser.go(signInUrl(), { form })).status).toBe(400)
  })

  test('is rejected if it is not encoded, missing or repeated', async () => {
    for (const query of ['', '?SAMLRequest=', '?SAMLRequest=%3Cxml%3E', '?SAMLRequest=AAAA', '?SAMLRequest=x&SAMLRequest=y'])
      expect((await browser.go(signInUrl() + query)).status).toBe(400)
  })

  test('is rejected if its body is too large', async () => {
    expect((await browser.go(signInUrl(), { form: { SAMLRequest: 'A'.repeat(200_000) } })).status).toBe(400)
  })

  test('is rejected as a form body by other routes', async () => {
    const page = await browser.go(`${bench.service.url}/api/v1/google-login-domains`, { form: { sso_workspace_domain: 'x.example' } })
    expect(page.status).toBe(401)
  })
})
