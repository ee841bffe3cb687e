import { expect, test } from 'vitest'
import type { BotId } from '../../domain/bot.ts'
import { createLinks, safeFileName } from './links.ts'

const bot = 'bot_1' as BotId
const WISH = { botId: bot, key: 'bots/bot_1/screenshots/1.jpg', epoch: 0, expiresInSeconds: 60 }
const START = Date.parse('2026-11-15T09:30:00.500Z')
let now = START
const links = createLinks({ key: 'a secret of the service', publicUrl: () => 'https://emissary.example', now: () => new Date(now) })

const partsOf = (url: string) => {
  const [, token = '', name = ''] = /^https:\/\/emissary\.example\/media\/([^/]+)\/([^/]+)$/.exec(url) ?? []
  return [token, decodeURIComponent(name)] as const
}

test('a link opens what it was made for, until it expires', () => {
  now = START
  const { url, expiresAt } = links.sign(WISH)
  expect(expiresAt).toEqual(new Date('2026-11-15T09:31:00.000Z'))
  expect(url).toMatch(/\/1\.jpg$/)
  expect(links.check(...partsOf(url))).toEqual({ kind: 'valid', botId: bot, key: WISH.key, epoch: 0 })
  now = expiresAt.getTime() - 1
  expect(links.check(...partsOf(url)).kind).toBe('valid')
  now = expiresAt.getTime()
  expect(links.check(...partsOf(url))).toEqual({ kind: 'expired' })
})

test('whatever is changed, the link is forged', () => {
  now = START
  const [token, name] = partsOf(links.sign({ ...WISH, fileName: 'Ana María.jpg' }).url)
  const [claims = '', signature = ''] = token.split('.')
  const claiming = (...values: unknown[]) => Buffer.from(JSON.stringify(values)).toString('base64url')
  const others = [
    [`${claiming('bot_2', WISH.key, 0, 9e9)}.${signature}`, name],
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

test('every bit of a signature counts', () => {
  const [token, name] = partsOf(links.sign(WISH).url)
  const dot = token.indexOf('.')
  for (let place = dot + 1; place < token.length; place += 1) {
    const other = token[place] === 'A' ? 'B' : 'A'
    expect(links.check(token.slice(0, place) + other + token.slice(place + 1), name).kind).toBe('forged')
  }
})

test('another service’s links, and another epoch’s, are others', () => {
  const other = createLinks({ key: 'another secret', publicUrl: () => 'https://emissary.example', now: () => new Date(now) })
  expect(links.check(...partsOf(other.sign(WISH).url)).kind).toBe('forged')
  expect(links.check(...partsOf(links.sign({ ...WISH, epoch: 1 }).url))).toMatchObject({ kind: 'valid', epoch: 1 })
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
])('%j becomes %j', (name, expected) => {
  expect(safeFileName(name)).toBe(expected)
  const { url } = links.sign({ ...WISH, fileName: name })
  expect(partsOf(url)[1]).toBe(expected)
})
