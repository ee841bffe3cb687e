// The live stream of an open page: when it ends, and that a page that is gone costs nothing more.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inTransaction } from '../../src/service/db/database.ts'
import { browserOf, inviteTo, type TestBrowser } from '../helpers/dashboard.ts'
import { startTestService, type TestService, WITH_DASHBOARD } from '../helpers/service.ts'
import { until } from '../helpers/until.ts'

/** A machine that is busy with other suites. */
const LONG_MS = 20_000

let service: TestService
let owner: TestBrowser
beforeAll(async () => {
  service = await startTestService({ ...WITH_DASHBOARD, TRUST_PROXY: 'true' })
  owner = browserOf(service.url)
  await owner.join(service.setUpUrl, { name: 'Ada', email: 'ada@example.com' })
})
afterAll(() => service.stop())

const own = (path: string) => `/dashboard/v1/workspaces/${owner.workspaceId()}${path}`

/** Settles when the stream is open; `ended` when the service ends it. */
async function openStream(browser: TestBrowser): Promise<{ readonly ended: Promise<void> }> {
  const { status, body } = await fetch(service.url + own('/live'), { headers: { cookie: browser.cookie() } })
  expect(status).toBe(200)
  const opened = Promise.withResolvers<void>()
  const ended = (async () => {
    for await (const part of body ?? []) if (Buffer.from(part).toString().includes(': open')) opened.resolve()
  })()
  await Promise.race([opened.promise, ended])
  return { ended }
}

async function followers(): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text()
  return Number(/^emissary_dashboard_followers (\d+)$/m.exec(text)?.[1] ?? Number.NaN)
}

/** The request of a page, on a socket that is not read until it is told to. */
function rawStream(): Socket {
  const { hostname, port } = new URL(service.url)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on('error', () => undefined)
  socket.write(`GET ${own('/live')} HTTP/1.1\r\nhost: ${hostname}\r\ncookie: ${owner.cookie()}\r\n\r\n`)
  return socket
}

test('ends when its person signs out, and when a member is removed', { timeout: 2 * LONG_MS }, async () => {
  const [leaver, removed, other] = await Promise.all(['member', 'viewer', 'member'].map((role) => inviteTo(owner, role)))
  if (!leaver || !removed || !other) throw new Error('Three people were invited')
  const streams = { leaver: await openStream(leaver), removed: await openStream(removed), other: await openStream(other) }
  let otherEnded = false
  void streams.other.ended.then(() => {
    otherEnded = true
  })

  await leaver.ask('DELETE', '/dashboard/v1/session')
  await streams.leaver.ended
  const { user_id } = (await removed.session()).body.workspaces[0]
  await owner.ask('DELETE', own(`/people/${user_id}`))
  await streams.removed.ended
  expect(otherEnded).toBe(false)

  // As another node would: this one finds out by looking.
  const { email } = (await other.session()).body.person
  const people = service.db.selectFrom('people').select('id').where('email', '=', email)
  await service.db.deleteFrom('sessions').where('person_id', 'in', people).execute()
  await streams.other.ended
})

test('forgets a page that closes while its stream is being opened', async () => {
  const first = await openStream(owner)
  await until('no other page is open', async () => (await followers()) === 1, LONG_MS)
  await inTransaction(service.db, async (tx) => {
    await sql`select from event_feeds for update`.execute(tx)
    const socket = rawStream()
    await until('the service waits for the feed', isWaiting, LONG_MS)
    socket.destroy()
    await once(socket, 'close')
    // The service has seen the end of that connection before it answers on a later one.
    await followers()
  })
  // Its turn at the feed comes after that of the page that is gone.
  const last = await openStream(owner)
  await until('two pages are told what happens', async () => (await followers()) === 2, LONG_MS)
  await owner.ask('DELETE', '/dashboard/v1/session')
  await Promise.all([first.ended, last.ended])
  await until('no page is told what happens', async () => (await followers()) === 0, LONG_MS)
  await owner.signIn('ada@example.com')
})

/** Asked outside the transaction, which sees the activity of its first look. */
async function isWaiting(): Promise<boolean> {
  const { rows } = await sql`select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%event_feeds%'`.execute(service.db)
  return rows.length > 0
}

test('cuts off a page that does not read any more', async () => {
  const socket = rawStream()
  socket.pause()
  await until('the page is open', async () => (await followers()) === 1, LONG_MS)
  // More than the buffers of a connection hold.
  const body = JSON.stringify({ event: 'x'.repeat(16 * 1024 * 1024), bot_id: 'bot_1' })
  const event = { id: 'msg_large', workspace_id: owner.workspaceId(), bot_id: null, name: 'bot.done', body, created_at: new Date() }
  await service.db.insertInto('events').values(event).execute()
  await until('the page is cut off', async () => (await followers()) === 0, LONG_MS)
  socket.destroy()
})
