// Headers that protect the pages of this server in a browser.
import { expect, test } from 'vitest'
import { serviceForFile } from '../helpers/service/for-file.ts'
import { clientOf } from '../helpers/service/service.ts'

const service = serviceForFile()

test('serves the docs page with a content security policy that forbids frames', async () => {
  for (const path of ['/docs', '/docs/', '/docs/js/scalar.js', '/docs/openapi.json']) {
    const { headers } = await fetch(service.url + path, { redirect: 'manual' })
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy, path).toContain("default-src 'none'")
    expect(policy, path).toContain("frame-ancestors 'none'")
    expect(/script-src ([^;]*)/.exec(policy)?.[1], path).not.toMatch(/unsafe|\*|https?:/)
    expect(headers.get('x-frame-options'), path).toBe('DENY')
  }
})

test('sends X-Content-Type-Options: nosniff with every answer', async () => {
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

test('answers 404 for an unknown path below /docs', async () => {
  const { status, body } = await clientOf(service.url, null)('GET', '/docs/nope')
  expect(status).toBe(404)
  expect(body).toEqual({ message: 'Not Found' })
})
