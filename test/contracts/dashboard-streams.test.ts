// Event streams of the dashboard: when they end and release their resources.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { inTransaction } from '../../src/service/db/database.ts'
import { browserOf, inviteTo, type TestBrowser } from '../helpers/service/dashboard.ts'
import { serviceForFile } from '../helpers/service/for-file.ts'
import { WITH_DASHBOARD } from '../helpers/service/service.ts'
import { until } from '../helpers/until.ts'

/** Deadline for a busy machine. */
const LONG_MS = 20_000

const service = serviceForFile({ ...WITH_DASHBOARD, TRUST_PROXY: 'true' })
let owner: TestBrowser
beforeAll(async () => {
  owner = browserOf(service.url)
  await owner.join(service.setUpUrl, { name: 'Ada', email: 'ada@example.com' })
})

const own = (path: string) => `/dashboard/v1/workspaces/${owner.workspaceId()}${path}`

/** Resolves when the stream is open. `ended` resolves with its text when the service ends it. */
async function openStream(browser: TestBrowser): Promise<{ readonly ended: Promise<string> }> {
  const { status, body } = await fetch(service.url + own('/live'), { headers: { cookie: browser.cookie() } })
  expect(status).toBe(200)
  const opened = Promise.withResolvers<void>()
  const ended = (async () => {
    let text = ''
    for await (const part of body ?? []) {
      text += Buffer.from(part).toString()
      if (text.includes(': open')) opened.resolve()
    }
    return text
  })()
  await Promise.race([opened.promise, ended])
  return { ended }
}

async function followers(): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text()
  return Number(/^emissary_dashboard_followers (\d+)$/m.exec(text)?.[1] ?? Number.NaN)
}

/** A page's request on a socket that is paused at first. */
function rawStream(): Socket {
  const { hostname, port } = new URL(service.url)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on('error', () => undefined)
  socket.write(`GET ${own('/live')} HTTP/1.1\r\nhost: ${hostname}\r\ncookie: ${owner.cookie()}\r\n\r\n`)
  return socket
}

test('ends when the person signs out or is removed from the workspace', { timeout: 2 * LONG_MS }, async () => {
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

  // Like a change on another node: this node notices at its next check.
  const { email } = (await other.session()).body.person
  await sql`delete from sessions where person_id = (select id from people where email = ${email})`.execute(service.db)
  await streams.other.ended
})

test('removes a stream whose page closes while it is being opened', async () => {
  const first = await openStream(owner)
  await until('no other page is open', async () => (await followers()) === 1, LONG_MS)
  await inTransaction(service.db, async (tx) => {
    await sql`lock table event_feeds`.execute(tx)
    const socket = rawStream()
    await until('the service waits for the feed', isWaiting, LONG_MS)
    socket.destroy()
    await once(socket, 'close')
    // The service handles the end of that connection before it answers on a later one.
    await followers()
  })
  // It is served after the closed page.
  const last = await openStream(owner)
  await until('two pages have an open stream', async () => (await followers()) === 2, LONG_MS)
  await owner.ask('DELETE', '/dashboard/v1/session')
  await Promise.all([first.ended, last.ended])
  await until('no page has an open stream', async () => (await followers()) === 0, LONG_MS)
  await owner.signIn('ada@example.com')
})

test('ends the oldest of more than 20 streams of a session', async () => {
  const [tabs, other] = await Promise.all([inviteTo(owner, 'member'), inviteTo(owner, 'member')])
  const apart = await openStream(other)
  const oldest = await openStream(tabs)
  const open = [apart]
  for (let count = 0; count < 20; count++) open.push(await openStream(tabs))
  expect(await oldest.ended).toMatch(/retry: 30000\n\n$/)
  await until('20 streams of one session and one of another are open', async () => (await followers()) === 21, LONG_MS)
  await Promise.all([tabs.ask('DELETE', '/dashboard/v1/session'), other.ask('DELETE', '/dashboard/v1/session')])
  await Promise.all(open.map(({ ended }) => ended))
})

/** Outside the transaction, in which pg_stat_activity is a snapshot of the first read. */
async function isWaiting(): Promise<boolean> {
  const { rows } = await sql`select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%event_feeds%'`.execute(service.db)
  return rows.length > 0
}

test('closes the connection of a page that stops reading', async () => {
  const socket = rawStream()
  socket.pause()
  await until('the page is open', async () => (await followers()) === 1, LONG_MS)
  // More than the socket buffers.
  const body = JSON.stringify({ event: 'x'.repeat(16 * 1024 * 1024), bot_id: 'bot_1' })
  const event = { id: 'msg_large', workspace_id: owner.workspaceId(), bot_id: null, name: 'bot.done', body, created_at: new Date() }
  await service.db.insertInto('events').values(event).execute()
  await until('the page is cut off', async () => (await followers()) === 0, LONG_MS)
  socket.destroy()
})
