// The token servers of docs/examples, called by the bot's client, with a simulated Zoom REST API.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fetchToken } from '../../src/bot/drivers/zoom-sdk/token.ts'
import { createHttpClient } from '../../src/kit/http-client.ts'
import { CLIENT, startZoomRest, type ZoomRest } from '../helpers/callers/zoom-rest.ts'
import { workerTools } from '../helpers/meetings/driver-tools.ts'

const KEY = 'a-long-random-word'
const NEVER = new AbortController().signal

const cleanups: (() => unknown)[] = []
let zoom: ZoomRest
let folder = ''
beforeEach(async () => {
  zoom = await startZoomRest()
  folder = await mkdtemp(join(tmpdir(), 'emissary-tokens-'))
  cleanups.push(zoom.close, () => rm(folder, { recursive: true }))
})
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** Starts the example and returns its URL. */
async function start(example: string, settings: Record<string, string>): Promise<string> {
  const env = { PATH: process.env.PATH, PORT: '0', KEY, ZOOM_CLIENT_ID: CLIENT.id, ZOOM_CLIENT_SECRET: CLIENT.secret, ...settings }
  const child = spawn('node', [`docs/examples/${example}`], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  cleanups.push(async () => {
    child.kill()
    await ended
  })
  const lines = createInterface({ input: child.stdout })
  const [line] = (await Promise.race([once(lines, 'line'), ended.then(() => ['it ended'])])) as [string]
  const port = /^listening on port (\d+)$/.exec(line)?.[1]
  if (!port) throw new Error(`${example}: ${line}`)
  return `http://127.0.0.1:${port}`
}

function tokenFrom(kind: 'zak' | 'obf', url: string) {
  const http = createHttpClient({ allowPrivate: true })
  cleanups.push(() => http.close())
  return fetchToken({ ...workerTools(), http }, { kind, url, meetingNumber: '81234567890', signal: NEVER })
}

test('answers a token of the ZAK server to requests with the key', async () => {
  const url = await start('zoom-zak-server.mjs', {
    ZOOM_ACCOUNT_ID: CLIENT.account,
    ZOOM_USER: 'bot@example.com',
    ZOOM_OAUTH_URL: `${zoom.url}/oauth/token`,
    ZOOM_API_URL: `${zoom.url}/v2`,
  })
  expect(await tokenFrom('zak', `${url}/zak?key=${KEY}`)).toEqual({
    kind: 'tokens',
    tokens: [expect.stringMatching(/^zak\.[\w-]+\.signed$/)],
  })
  expect(zoom.asked).toEqual(['token account_credentials', 'bot@example.com zak -'])
  expect(await tokenFrom('zak', `${url}/zak?key=wrong`)).toMatchObject({ kind: 'failed', message: expect.stringContaining('Wrong key') })
})

test('answers Zoom’s error from the ZAK server', async () => {
  const url = await start('zoom-zak-server.mjs', {
    ZOOM_ACCOUNT_ID: 'another account',
    ZOOM_USER: 'bot@example.com',
    ZOOM_OAUTH_URL: `${zoom.url}/oauth/token`,
    ZOOM_API_URL: `${zoom.url}/v2`,
  })
  const { message } = (await tokenFrom('zak', `${url}/zak?key=${KEY}`)) as { readonly message: string }
  expect(message).toContain('answered with HTTP 502: {"message":"Zoom answered 400: Invalid Token!"}')
})

test('answers tokens of connected users from the OBF server and stores their newest refresh token', async () => {
  const file = join(folder, 'users.json')
  const url = await start('zoom-obf-server.mjs', {
    PUBLIC_URL: 'https://tokens.example.com',
    TOKENS_FILE: file,
    ZOOM_OAUTH_URL: `${zoom.url}/oauth`,
    ZOOM_API_URL: `${zoom.url}/v2`,
  })
  const obfUrl = `${url}/obf?user=ada&key=${KEY}`
  expect(await tokenFrom('obf', obfUrl)).toMatchObject({ kind: 'failed', message: expect.stringContaining('ada is not connected.') })

  const leave = await fetch(`${url}/connect?user=ada&key=${KEY}`, { redirect: 'manual' })
  const consent = new URL(leave.headers.get('location') ?? '')
  expect(Object.fromEntries(consent.searchParams)).toMatchObject({
    response_type: 'code',
    client_id: CLIENT.id,
    redirect_uri: 'https://tokens.example.com/callback',
  })
  const back = `${url}/callback?code=the-code&state=${consent.searchParams.get('state')}`
  expect((await fetch(back)).status).toBe(200)
  expect((await fetch(back)).status, 'a state is good once').toBe(400)
  expect((await fetch(`${url}/connect?user=ada`, { redirect: 'manual' })).status, 'without the key').toBe(403)

  const tokens = await Promise.all([tokenFrom('obf', obfUrl), tokenFrom('obf', obfUrl)])
  expect(tokens).toEqual(Array(2).fill({ kind: 'tokens', tokens: [expect.stringMatching(/^onbehalf\.[\w-]+\.signed$/)] }))
  expect(zoom.asked.toSorted()).toEqual([
    ...['me onbehalf 81234567890', 'me onbehalf 81234567890'],
    ...['token authorization_code', 'token refresh_token', 'token refresh_token'],
  ])
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ ada: 'refresh-3' })
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await tokenFrom('obf', `${obfUrl}&user=ben`), 'ben is not connected').toMatchObject({
    kind: 'tokens',
    tokens: [expect.any(String)],
  })
  expect(await tokenFrom('obf', `${obfUrl}&user=ada`)).toMatchObject({ kind: 'tokens', tokens: [expect.any(String), expect.any(String)] })
})
