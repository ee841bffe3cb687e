// Signatures, compared with the published library and with independently computed values.
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { newSecret, signatureHeaders } from './signature.ts'

const AT = new Date('2026-11-15T09:31:07.123Z')

test('signs the exact bytes with the secret as shown, as the specification says', () => {
  const headers = signatureHeaders(
    'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=',
    { id: 'msg_1', at: AT, body: '{"n":"Ärger"}' },
    'X-Service',
  )
  // printf '{"n":"Ärger"}' | openssl dgst -sha256 -hmac "whsec_MDEy…DE="
  expect(headers['X-Service-Signature']).toBe('sha256=fa4649084189ff6152447c6a88a6cb73a023282b57b0fe7a98b466895ab73af0')
  expect(headers['X-Service-Timestamp']).toBe('2026-11-15T09:31:07.123Z')
  expect(headers['webhook-timestamp']).toBe('1794735067')
})

test('produces secrets and signatures that the Standard Webhooks library accepts', () => {
  const secret = newSecret()
  const body = JSON.stringify({ event: 'bot.done', message: 'Grüße 🦊' })
  const headers = signatureHeaders(secret, { id: 'msg_1', at: new Date(), body }, 'X-Service')
  expect(new Webhook(secret).verify(Buffer.from(body), headers)).toEqual(JSON.parse(body))
  for (const changed of [
    { ...headers, 'webhook-id': 'msg_2' },
    { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) },
  ])
    expect(() => new Webhook(secret).verify(body, changed)).toThrow()
  expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow()
  expect(() => new Webhook(newSecret()).verify(body, headers)).toThrow()
})

test('generates a different secret each time', () => {
  expect(new Set(Array.from({ length: 100 }, newSecret)).size).toBe(100)
})

test('names the specification’s two headers by the given prefix', () => {
  const headers = signatureHeaders(newSecret(), { id: 'msg_1', at: AT, body: '{}' }, 'X-Acme')
  expect(Object.keys(headers).slice(0, 2)).toEqual(['X-Acme-Signature', 'X-Acme-Timestamp'])
})
