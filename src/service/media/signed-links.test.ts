import { expect, test } from 'vitest'
import type { BotId } from '../../domain/bot.ts'
import { createSignedLinks, safeFileName } from './signed-links.ts'

const bot = 'bot_1' as BotId
const REQUEST = { botId: bot, key: 'bots/bot_1/screenshots/1.jpg', epoch: 0, expiresInSeconds: 60 }
const START = Date.parse('2026-11-15T09:30:00.500Z')
let now = START
const links = createSignedLinks({ key: 'a secret of the service', publicUrl: () => 'https://emissary.example', now: () => new Date(now) })

const partsOf = (url: string) => {
  const [, token = '', name = ''] = /^https:\/\/emissary\.example\/media\/([^/]+)\/([^/]+)$/.exec(url) ?? []
  return [token, decodeURIComponent(name)] as const
}

test('accepts a link for its object until it expires', () => {
  now = START
  const { url, expiresAt } = links.sign(REQUEST)
  expect(expiresAt).toEqual(new Date('2026-11-15T09:31:00.000Z'))
  expect(url).toMatch(/\/1\.jpg$/)
  expect(links.check(...partsOf(url))).toEqual({ kind: 'valid', botId: bot, key: REQUEST.key, epoch: 0 })
  now = expiresAt.getTime() - 1
  expect(links.check(...partsOf(url)).kind).toBe('valid')
  now = expiresAt.getTime()
  expect(links.check(...partsOf(url))).toEqual({ kind: 'expired' })
})

test('rejects a link with a changed token or file name', () => {
  now = START
  const [token, name] = partsOf(links.sign({ ...REQUEST, fileName: 'Ana María.jpg' }).url)
  const [claims = '', signature = ''] = token.split('.')
  const claiming = (...values: unknown[]) => Buffer.from(JSON.stringify(values)).toString('base64url')
  const others = [
    [`${claiming('bot_2', REQUEST.key, 0, 9e9)}.${signature}`, name],
    [`${claiming(bot, 'bots/bot_2/x.jpg', 0, 9e9)}.${signature}`, name],
    [`${claims}x.${signature}`, name],
    [`${claims}.${signature.slice(0, -1)}`, name],
    [`${claims}.${signature}=`, name],
    [`${claims}.${signature}.`, name],
    [`${claims}.`, name],
    [claims, name],
    ['', ''],
    [token, 'Ana Maria.jpg'],
    [token, ''],
    [token, `${name}/`],
  ] as const
  for (const [given, called] of others) expect(links.check(given, called), `${given} ${called}`).toEqual({ kind: 'forged' })
  expect(links.check(token, name).kind).toBe('valid')
})

test('rejects a signature with any changed character', () => {
  const [token, name] = partsOf(links.sign(REQUEST).url)
  const dot = token.indexOf('.')
  for (let place = dot + 1; place < token.length; place += 1) {
    const other = token[place] === 'A' ? 'B' : 'A'
    expect(links.check(token.slice(0, place) + other + token.slice(place + 1), name).kind).toBe('forged')
  }
})

test('rejects a link signed with another key, and returns the epoch of a valid link', () => {
  const other = createSignedLinks({ key: 'another secret', publicUrl: () => 'https://emissary.example', now: () => new Date(now) })
  expect(links.check(...partsOf(other.sign(REQUEST).url)).kind).toBe('forged')
  expect(links.check(...partsOf(links.sign({ ...REQUEST, epoch: 1 }).url))).toMatchObject({ kind: 'valid', epoch: 1 })
})

test.each([
  ['Ana María – 1.m4a', 'Ana María – 1.m4a'],
  ['../../etc/passwd', '_.._etc_passwd'],
  ['a"b\r\nSet-Cookie: x', 'a_b__Set-Cookie_ x'],
  ['..', 'file'],
  ['', 'file'],
  ['\ud800.jpg', '\ufffd.jpg'],
  [`${'x'.repeat(300)}.jpg`, `${'x'.repeat(116)}.jpg`],
  ['100%.jpg', '100_.jpg'],
])('makes the file name %j safe as %j', (name, expected) => {
  expect(safeFileName(name)).toBe(expected)
  const { url } = links.sign({ ...REQUEST, fileName: name })
  expect(partsOf(url)[1]).toBe(expected)
})
