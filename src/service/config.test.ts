import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig, SETTINGS } from './config.ts'
import { ConfigError } from './setting-readers.ts'

test('uses the defaults without an environment', () => {
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
  [{ PORT: '70000' }, 'PORT must be a whole number from 0 to 65535; got "70000".'],
  [{ PRICE_PER_HOUR: '-1' }, 'PRICE_PER_HOUR must be a number, zero or more; got "-1".'],
  [{ ALLOW_INSECURE_URLS: 'yes' }, 'ALLOW_INSECURE_URLS must be one of true, false; got "yes".'],
  [{ PUBLIC_URL: 'example.com' }, 'PUBLIC_URL must be an http or https URL; got "example.com".'],
  [{ DATABASE_URL: 'mysql://x' }, 'DATABASE_URL must be a URL such as postgres://user:password@host:5432/emissary; got 9 characters.'],
  [{ ROOM: 'closed' }, 'ROOM must be one of open, signed, off; got "closed".'],
  [{ ROLES: 'api,flet' }, 'ROLES must be one or more of api, fleet, media, delivery, calendar, separated by commas; got "api,flet".'],
  [{ ROLES: ',' }, 'ROLES must be one or more of api, fleet, media, delivery, calendar, separated by commas; got ",".'],
  [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent; got "loud".'],
])('rejects %j and names the setting', (environment, sentence) => {
  expect(() => readConfig(environment)).toThrow(new ConfigError(sentence))
})

test('does not print the value of an invalid secret', () => {
  expect(() => readConfig({ ADMIN_TOKEN: 'hush' })).toThrow(/^ADMIN_TOKEN must have at least 16 characters; got 4 characters\.$/)
})

test('treats blank as unset and removes the trailing slash of a URL', () => {
  expect(readConfig({ PORT: ' ', PUBLIC_URL: 'https://bots.example.com/' })).toMatchObject({
    PORT: 4000,
    PUBLIC_URL: 'https://bots.example.com',
  })
})

test('reads a setting by its former name, unless its present name is set', () => {
  expect(readConfig({ BOT_HOSTS: '7', BOTS_PER_HOST: '3', WARM_HOSTS: '2' })).toMatchObject({
    BOT_WORKERS: 7,
    BOTS_PER_WORKER: 3,
    WARM_WORKERS: 2,
  })
  expect(readConfig({ PLATFORM_TABLES: '/rules' }).PAGE_RULES).toBe('/rules')
  expect(readConfig({ BOT_HOSTS: '7', BOT_WORKERS: '5' }).BOT_WORKERS).toBe(5)
  expect(() => readConfig({ BOT_HOSTS: 'many' })).toThrow(/^BOT_HOSTS must be a whole number/)
})

test('counts a speech vendor as configured if its key is set', () => {
  expect([...readConfig({ DEEPGRAM_API_KEY: 'x', OPENAI_API_KEY: ' ' }).configuredVendors]).toEqual(['deepgram'])
})

test('documents every setting with its default', () => {
  const page = readFileSync('docs/configuration.md', 'utf8')
  for (const [name, { fallback, about }] of Object.entries(SETTINGS))
    expect(page).toContain(`| \`${name}\` | ${fallback ? `\`${fallback}\`` : ''} | ${about} |`)
})

test('requires ZOOM_SDK_KEY and ZOOM_SDK_SECRET together', () => {
  expect(() => readConfig({ ZOOM_SDK_KEY: 'key' })).toThrow('ZOOM_SDK_KEY and ZOOM_SDK_SECRET must be set together.')
  expect(() => readConfig({ ZOOM_SDK_SECRET: 'secret' })).toThrow(ConfigError)
  expect(readConfig({ ZOOM_SDK_KEY: 'key', ZOOM_SDK_SECRET: 'secret', DATA_DIR: '/data' }).zoom).toEqual({
    way: 'sdk',
    app: { key: 'key', secret: 'secret' },
    sdkFolder: '/data/zoom-sdk',
    obstacle: expect.stringContaining('emissary zoom install'),
  })
  expect(readConfig({ ZOOM_WAY: 'web', ZOOM_SDK_FOLDER: '/opt/zoom' }).zoom).toEqual({
    way: 'web',
    app: null,
    sdkFolder: '/opt/zoom',
    obstacle: null,
  })
})

test('takes Zoom’s SDK by ZOOM_WAY=auto if it is installed, else the web client', () => {
  const folder = mkdtempSync(join(tmpdir(), 'emissary-zoom-way-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const zoom = () => readConfig({ ZOOM_WAY: 'auto', ZOOM_SDK_FOLDER: folder }).zoom
  expect(zoom()).toMatchObject({ way: 'web', obstacle: null })
  mkdirSync(join(folder, 'dist'))
  expect(zoom()).toMatchObject({ way: 'sdk', obstacle: null })
})

test('knows no obstacle to Zoom in a process without bots', () => {
  expect(readConfig({ BOT_WORKERS: '0' }).zoom.obstacle).toBeNull()
})

const DATABASE = { DATABASE_URL: 'postgres://db/emissary' }
const APART = { ...DATABASE, S3_BUCKET: 'recordings', PUBLIC_URL: 'https://bots.example.com' }

test('runs every role by default, and reads chosen ones in a fixed order', () => {
  expect(readConfig({}).ROLES).toEqual(['api', 'fleet', 'media', 'delivery', 'calendar'])
  expect(readConfig({ ...APART, ROLES: ' media, fleet,media' }).ROLES).toEqual(['fleet', 'media'])
})

test.each([
  [{ ROLES: 'api,fleet,media' }, 'ROLES leaves delivery, calendar to other processes, which need the same database. Set DATABASE_URL.'],
  [
    { ...DATABASE, ROLES: 'api,delivery,calendar' },
    'ROLES leaves fleet, media to other processes, which need the same recordings. Set S3_BUCKET.',
  ],
  [
    { ...APART, PUBLIC_URL: '', ROLES: 'fleet' },
    'ROLES leaves api, media, delivery, calendar to other processes. Set PUBLIC_URL to the URL of the API.',
  ],
])('rejects roles on their own that miss what processes share: %j', (environment, sentence) => {
  expect(() => readConfig(environment)).toThrow(new ConfigError(sentence))
})

test('accepts roles on their own that need no recordings without a bucket', () => {
  expect(readConfig({ ...DATABASE, ROLES: 'delivery' }).ROLES).toEqual(['delivery'])
})

test('requires all settings of the Teams app, or none', () => {
  const app = { TEAMS_BOT_TENANT: 'acme.example', TEAMS_BOT_CLIENT_ID: 'client-1', TEAMS_BOT_CLIENT_SECRET: 'hush' }
  expect(readConfig({}).teamsApp).toBeNull()
  expect(readConfig(app).teamsApp).toEqual({ tenant: 'acme.example', clientId: 'client-1', secret: 'hush' })
  expect(() => readConfig({ ...app, TEAMS_BOT_CLIENT_SECRET: '' })).toThrow(
    'TEAMS_BOT_TENANT, TEAMS_BOT_CLIENT_ID and TEAMS_BOT_CLIENT_SECRET must be set together.',
  )
})
