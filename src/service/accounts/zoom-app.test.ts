import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { zoomSignature } from './zoom-app.ts'

test('signs an HS256 JWT for one meeting, for an attendee, with WebRTC media', () => {
  const at = new Date('2026-11-16T12:00:00.700Z')
  const signature = zoomSignature({ key: 'the key', secret: 'the secret' }, '81234567890', at)
  const [header = '', claims = '', signed = ''] = signature.split('.')
  expect(signature).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
  expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ alg: 'HS256', typ: 'JWT' })
  const iat = Date.parse('2026-11-16T11:59:30Z') / 1000
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toEqual({
    appKey: 'the key',
    sdkKey: 'the key',
    mn: '81234567890',
    role: 0,
    video_webrtc_mode: 1,
    iat,
    exp: iat + 21_600,
    tokenExp: iat + 21_600,
  })
  expect(signed).toBe(createHmac('sha256', 'the secret').update(`${header}.${claims}`).digest('base64url'))
})
