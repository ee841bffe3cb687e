// Hands out OBF tokens: a bot joins on behalf of a user who is in the meeting. Needs Node 20 or later, and nothing else.
//
//   ZOOM_CLIENT_ID, ZOOM_CLIENT_SECRET   of the same general app whose Meeting SDK credentials Emissary has; scope user:read:token
//   PUBLIC_URL                           where this server is reached; <PUBLIC_URL>/callback is the app's OAuth redirect URL
//   KEY                                  a long random word; every caller that knows it gets tokens
//   TOKENS_FILE                          where users' refresh tokens are kept; default ./zoom-users.json
//   PORT                                 default 8080; put TLS before it
//
// Once for each user: open <PUBLIC_URL>/connect?user=ada&key=<KEY> in a browser, and allow the app.
// Then: create_bot with "platforma": {"obf_url": "https://tokens.example.com/obf?user=ada&key=<KEY>"}
// With &user=ada&user=ben the bot joins on behalf of the one who is in the meeting.
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'

const { ZOOM_CLIENT_ID, ZOOM_CLIENT_SECRET, PUBLIC_URL, KEY, TOKENS_FILE = './zoom-users.json', PORT = '8080' } = process.env
const { ZOOM_OAUTH_URL = 'https://zoom.us/oauth', ZOOM_API_URL = 'https://api.zoom.us/v2' } = process.env
if (!ZOOM_CLIENT_ID || !ZOOM_CLIENT_SECRET || !PUBLIC_URL || !KEY) throw new Error('A setting is missing: see the first lines.')

const redirect_uri = `${PUBLIC_URL}/callback`
/** Users who are on their way through Zoom's page, by the state that comes back with them. */
const connecting = new Map()

const ROUTES = {
  '/connect': async ({ query }) => {
    const state = randomBytes(16).toString('hex')
    connecting.set(state, query.get('user'))
    const asked = new URLSearchParams({ response_type: 'code', client_id: ZOOM_CLIENT_ID, redirect_uri, state })
    return { status: 302, headers: { location: `${ZOOM_OAUTH_URL}/authorize?${asked}` } }
  },
  '/callback': async ({ query }) => {
    const user = connecting.get(query.get('state'))
    connecting.delete(query.get('state'))
    if (!user) return { status: 400, body: { message: 'This link was used before. Connect again.' } }
    const { refresh_token } = await oauth({ grant_type: 'authorization_code', code: query.get('code') ?? '', redirect_uri })
    keep(user, refresh_token)
    return { status: 200, body: { message: `${user} is connected.` } }
  },
  '/obf': async ({ query }) => {
    const asked = query.getAll('user')
    const connected = asked.filter((user) => users()[user])
    if (connected.length === 0) return { status: 400, body: { message: `${asked.join(', ')} is not connected.` } }
    const tokens = await Promise.all(connected.map((user) => tokenOf(user, query.get('meeting_number') ?? '')))
    return { status: 200, body: tokens.length === 1 ? { token: tokens[0] } : { tokens } }
  },
}

const server = createServer(async (request, response) => {
  const { pathname, searchParams: query } = new URL(request.url, 'http://localhost')
  const { status, headers, body } = await handle(pathname, query).catch((error) => ({ status: 502, body: { message: error.message } }))
  console.log(`${status} ${pathname} ${request.headers['x-bot-id'] ?? ''}`)
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body && JSON.stringify(body))
})
server.listen(Number(PORT), () => console.log(`listening on port ${server.address().port}`))

async function handle(pathname, query) {
  const route = ROUTES[pathname]
  if (!route) return { status: 404, body: { message: 'Not found' } }
  // Zoom does not know the key, and comes with a state that only we know.
  if (pathname !== '/callback' && !isKey(query.get('key') ?? '')) return { status: 403, body: { message: 'Wrong key' } }
  return route({ query })
}

async function tokenOf(user, number) {
  const url = `${ZOOM_API_URL}/users/me/token?type=onbehalf&meeting_id=${encodeURIComponent(number)}`
  const { token } = await ask(url, { headers: { authorization: `Bearer ${await accessToken(user)}` } })
  return token
}

/** Zoom gives a new refresh token with every access token, so two at once would lose one. */
const turns = new Map()

function accessToken(user) {
  const turn = (turns.get(user) ?? Promise.resolve())
    .catch(() => undefined)
    .then(async () => {
      const { access_token, refresh_token } = await oauth({ grant_type: 'refresh_token', refresh_token: users()[user] })
      keep(user, refresh_token)
      return access_token
    })
  turns.set(user, turn)
  return turn
}

function oauth(fields) {
  const basic = Buffer.from(`${ZOOM_CLIENT_ID}:${ZOOM_CLIENT_SECRET}`).toString('base64')
  const body = new URLSearchParams(fields)
  return ask(`${ZOOM_OAUTH_URL}/token`, { method: 'POST', headers: { authorization: `Basic ${basic}` }, body })
}

async function ask(url, options) {
  // The bot waits 15 seconds in all.
  const response = await fetch(url, { ...options, signal: AbortSignal.timeout(6_000) })
  const body = await response.json().catch(() => ({}))
  if (!response.ok) throw new Error(`Zoom answered ${response.status}: ${body.reason ?? body.message ?? 'no reason'}`)
  return body
}

function users() {
  try {
    return JSON.parse(readFileSync(TOKENS_FILE, 'utf8'))
  } catch (error) {
    if (error.code === 'ENOENT') return {}
    throw error
  }
}

/** At once or not at all: a crash in between must not cost the other users. */
function keep(user, refreshToken) {
  writeFileSync(`${TOKENS_FILE}.new`, JSON.stringify({ ...users(), [user]: refreshToken }), { mode: 0o600 })
  renameSync(`${TOKENS_FILE}.new`, TOKENS_FILE)
}

function isKey(given) {
  const [a, b] = [Buffer.from(given), Buffer.from(KEY)]
  return a.length === b.length && timingSafeEqual(a, b)
}
