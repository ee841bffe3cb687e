import { expect, test } from 'vitest'
import { createRoomPages } from './room-pages.ts'

const pages = createRoomPages()

test('serves the same page for every room, with a Content-Security-Policy', () => {
  const answer = pages('/room/any')
  expect(answer?.headers['content-type']).toBe('text/html; charset=utf-8')
  expect(answer?.headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'")
  expect(answer?.body).not.toMatch(/<script>|style=|<!--/)
  expect(pages('/room/other')?.headers.etag).toBe(answer?.headers.etag)
})

test('serves every asset that the page names, as code without types', () => {
  const named = [...(pages('/room/any')?.body ?? '').matchAll(/(?:href|src)="([^"]+)"/g)].map((it) => it[1])
  expect(named.length).toBeGreaterThan(20)
  for (const name of named) expect(pages(`/room/${name}`)?.status, name).toBe(200)
  const wire = pages('/room/assets/wire.ts')
  expect(wire?.headers['content-type']).toBe('text/javascript; charset=utf-8')
  expect(wire?.body).not.toContain('type ClientMessage')
})

test('answers 304 for an unchanged asset', () => {
  const etag = pages('/room/assets/page/main.ts')?.headers.etag
  expect(pages('/room/assets/page/main.ts', etag)).toMatchObject({ status: 304, body: '' })
  expect(pages('/room/assets/page/main.ts', '"old"')?.status).toBe(200)
})

test.each([
  '/room/',
  '/room/a.b',
  '/room/a/b',
  '/room/assets/rooms.ts',
  '/room/assets/page/../rooms.ts',
  '/room/assets/page',
  '/room/__proto__/x',
])('has no page at %s', (path) => {
  expect(pages(path)).toBeNull()
})

test('redirects a trailing slash to the room', () => {
  expect(pages('/room/any/?lobby=1')).toMatchObject({ status: 308, headers: { location: '../any?lobby=1' } })
})
