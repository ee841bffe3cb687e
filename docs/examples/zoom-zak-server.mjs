// Hands out ZAK tokens: bots join Zoom meetings as one user of your own account. Needs Node 20 or later, and nothing else.
//
//   ZOOM_ACCOUNT_ID, ZOOM_CLIENT_ID, ZOOM_CLIENT_SECRET   of a Server-to-Server OAuth app with the scope user:read:token:admin
//   ZOOM_USER                                             the user that bots join as: an e-mail address or an id
//   KEY                                                   a long random word; every caller that knows it gets tokens
//   PORT                                                  default 8080; put TLS before it
//
// Then: create_bot with "platforma": {"zak_url": "https://tokens.example.com/zak?key=<KEY>"}
import { timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const { ZOOM_ACCOUNT_ID, ZOOM_CLIENT_ID, ZOOM_CLIENT_SECRET, ZOOM_USER, KEY, PORT = '8080' } = process.env
const { ZOOM_OAUTH_URL = 'https://zoom.us/oauth/token', ZOOM_API_URL = 'https://api.zoom.us/v2' } = process.env
if (!ZOOM_ACCOUNT_ID || !ZOOM_CLIENT_ID || !ZOOM_CLIENT_SECRET || !ZOOM_USER || !KEY)
  throw new Error('A setting is missing: see the first lines.')

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost')
  if (pathname !== '/zak') return answer(response, 404, { message: 'Not found' })
  if (!isKey(searchParams.get('key') ?? '')) return answer(response, 403, { message: 'Wrong key' })
  try {
    const token = await zak(await accessToken())
    console.log(`a ZAK for bot ${request.headers['x-bot-id']}`)
    answer(response, 200, { token })
  } catch (error) {
    console.error(error.message)
    answer(response, 502, { message: error.message })
  }
})
server.listen(Number(PORT), () => console.log(`listening on port ${server.address().port}`))

async function accessToken() {
  const basic = Buffer.from(`${ZOOM_CLIENT_ID}:${ZOOM_CLIENT_SECRET}`).toString('base64')
  const body = new URLSearchParams({ grant_type: 'account_credentials', account_id: ZOOM_ACCOUNT_ID })
  return (await ask(ZOOM_OAUTH_URL, { method: 'POST', headers: { authorization: `Basic ${basic}` }, body })).access_token
}

async function zak(token) {
  const url = `${ZOOM_API_URL}/users/${encodeURIComponent(ZOOM_USER)}/token?type=zak`
  return (await ask(url, { headers: { authorization: `Bearer ${token}` } })).token
}

async function ask(url, options) {
  // The bot waits 15 seconds in all.
  const response = await fetch(url, { ...options, signal: AbortSignal.timeout(6_000) })
  const body = await response.json().catch(() => ({}))
  if (!response.ok) throw new Error(`Zoom answered ${response.status}: ${body.reason ?? body.message ?? 'no reason'}`)
  return body
}

function isKey(given) {
  const [a, b] = [Buffer.from(given), Buffer.from(KEY)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function answer(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
