import { expect, test } from 'vitest'
import { createRoomPages } from './serve.ts'

const pages = createRoomPages()

test('every room has the same page, with a policy against foreign code', () => {
  const answer = pages('/room/any')
  expect(answer?.headers['content-type']).toBe('text/html; charset=utf-8')
  expect(answer?.headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'")
  expect(answer?.body).not.toMatch(/<script>|style=|<!--/)
  expect(pages('/room/other')?.headers.etag).toBe(answer?.headers.etag)
})

test('whatever the page names is there, and its code has no types left', () => {
  const named = [...(pages('/room/any')?.body ?? '').matchAll(/(?:href|src)="([^"]+)"/g)].map((it) => it[1])
  expect(named.length).toBeGreaterThan(20)
  for (const name of named) expect(pages(`/room/${name}`)?.status, name).toBe(200)
  const wire = pages('/room/assets/wire.ts')
  expect(wire?.headers['content-type']).toBe('text/javascript; charset=utf-8')
  expect(wire?.body).not.toContain('type ClientMessage')
})

test('what has not changed is not sent again', () => {
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
])('%s is none of the room', (path) => {
  expect(pages(path)).toBeNull()
})

test('a slash at the end leads to the one address of the room', () => {
  expect(pages('/room/any/?lobby=1')).toMatchObject({ status: 308, headers: { location: '../any?lobby=1' } })
})
