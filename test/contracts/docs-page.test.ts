// Headers that protect the pages of this server in a browser.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { clientOf, startTestService, type TestService } from '../helpers/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

test('the docs page has a content security policy and cannot be framed', async () => {
  for (const path of ['/docs', '/docs/', '/docs/js/scalar.js', '/docs/openapi.json']) {
    const { headers } = await fetch(service.url + path, { redirect: 'manual' })
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy, path).toContain("default-src 'none'")
    expect(policy, path).toContain("frame-ancestors 'none'")
    expect(/script-src ([^;]*)/.exec(policy)?.[1], path).not.toMatch(/unsafe|\*|https?:/)
    expect(headers.get('x-frame-options'), path).toBe('DENY')
  }
})

test('every answer has X-Content-Type-Options: nosniff', async () => {
  const paths = [
    '/docs/',
    '/healthz',
    '/metrics',
    '/nope',
    '/api/v1/bots',
    '/api/v1/openapi.json',
    '/room/x',
    '/media/a/b',
    '/sso/google/session',
  ]
  for (const path of paths) {
    const { headers } = await clientOf(service.url, null)('GET', path)
    expect(headers.get('x-content-type-options'), path).toBe('nosniff')
  }
  const { headers } = await fetch(`${service.url}/%`)
  expect(headers.get('x-content-type-options')).toBe('nosniff')
})

test('an unknown path below /docs is 404', async () => {
  const { status, body } = await clientOf(service.url, null)('GET', '/docs/nope')
  expect(status).toBe(404)
  expect(body).toEqual({ message: 'Not Found' })
})
