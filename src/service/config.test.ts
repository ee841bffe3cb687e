import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ConfigError, readConfig, SETTINGS } from './config.ts'

test('without an environment every setting has its default', () => {
  expect(readConfig({})).toMatchObject({
    PORT: 4000,
    HOST: '127.0.0.1',
    CREDITS: 'off',
    PRICE_PER_HOUR: 0.35,
    RATE_LIMIT_PER_MINUTE: 600,
    ALLOW_INSECURE_URLS: false,
  })
})

test.each([
  [{ PORT: '70000' }, 'PORT must be a whole number from 0 to 65535; it is "70000".'],
  [{ PRICE_PER_HOUR: '-1' }, 'PRICE_PER_HOUR must be a number, zero or more; it is "-1".'],
  [{ ALLOW_INSECURE_URLS: 'yes' }, 'ALLOW_INSECURE_URLS must be one of true, false; it is "yes".'],
  [{ PUBLIC_URL: 'example.com' }, 'PUBLIC_URL must be an http or https address; it is "example.com".'],
  [
    { DATABASE_URL: 'mysql://x' },
    'DATABASE_URL must be an address such as postgres://user:password@host:5432/emissary; it is something else.',
  ],
  [{ ROOM: 'closed' }, 'ROOM must be one of open, signed, off; it is "closed".'],
  [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent; it is "loud".'],
])('%j is refused by name', (environment, sentence) => {
  expect(() => readConfig(environment)).toThrow(new ConfigError(sentence))
})

test('a wrong secret is named and not shown', () => {
  expect(() => readConfig({ ADMIN_TOKEN: 'hush' })).toThrow(/^ADMIN_TOKEN must have at least 16 characters; it is something else\.$/)
})

test('blank is the same as not set, and an address loses its last slash', () => {
  expect(readConfig({ PORT: ' ', PUBLIC_URL: 'https://bots.example.com/' })).toMatchObject({
    PORT: 4000,
    PUBLIC_URL: 'https://bots.example.com',
  })
})

test('a vendor is configured by its key', () => {
  expect([...readConfig({ DEEPGRAM_API_KEY: 'x', OPENAI_API_KEY: ' ' }).configuredVendors]).toEqual(['deepgram'])
})

test('every setting is documented, with its default', () => {
  const page = readFileSync('docs/configuration.md', 'utf8')
  for (const [name, { fallback, about }] of Object.entries(SETTINGS))
    expect(page).toContain(`| \`${name}\` | ${fallback ? `\`${fallback}\`` : ''} | ${about} |`)
})

test('the key and the secret of a Zoom app belong together', () => {
  expect(() => readConfig({ ZOOM_SDK_KEY: 'key' })).toThrow('ZOOM_SDK_KEY and ZOOM_SDK_SECRET must be set together.')
  expect(() => readConfig({ ZOOM_SDK_SECRET: 'secret' })).toThrow(ConfigError)
  expect(readConfig({ ZOOM_SDK_KEY: 'key', ZOOM_SDK_SECRET: 'secret', DATA_DIR: '/data' }).zoom).toEqual({
    ...{ way: 'sdk', app: { key: 'key', secret: 'secret' }, sdkFolder: '/data/zoom-sdk' },
  })
  expect(readConfig({ ZOOM_WAY: 'web', ZOOM_SDK_FOLDER: '/opt/zoom' }).zoom).toEqual({ way: 'web', app: null, sdkFolder: '/opt/zoom' })
})
