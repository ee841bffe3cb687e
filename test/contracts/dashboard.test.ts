// Accounts of the dashboard: set-up, sessions, roles, keys and invitations.
import { beforeAll, describe, expect, test } from 'vitest'
import { browserOf, inviteTo, PASSWORD, scheduled, type TestBrowser } from '../helpers/service/dashboard.ts'
import { serviceForFile } from '../helpers/service/for-file.ts'
import { clientOf, WITH_DASHBOARD } from '../helpers/service/service.ts'
import { until } from '../helpers/until.ts'

const OWNER = { name: 'Ada', email: 'Ada@Example.com' }

const service = serviceForFile({ ...WITH_DASHBOARD, TRUST_PROXY: 'true' })
let owner: TestBrowser
beforeAll(async () => {
  owner = browserOf(service.url)
  await owner.join(service.setUpUrl, OWNER)
})

const own = (path: string, browser = owner) => `/dashboard/v1/workspaces/${browser.workspaceId()}${path}`

const invited = (role: string) => inviteTo(owner, role)

describe('the set-up link', () => {
  test('makes the first person an owner, once only', async () => {
    expect((await owner.session()).body).toMatchObject({
      person: { name: 'Ada', email: 'ada@example.com' },
      workspaces: [{ name: 'default', role: 'owner' }],
    })
    const late = await browserOf(service.url).join(service.setUpUrl, { name: 'Eve', email: 'eve@example.com' })
    expect(late).toMatchObject({ status: 404, body: { message: expect.stringContaining('used') } })
  })

  test('requires an e-mail address and a password of ten characters', async () => {
    const join = (body: object) => clientOf(service.url, null)('POST', '/dashboard/v1/invitation/accept', { token: 'made-up', ...body })
    expect((await join({ password: 'short' })).body.message).toBe('password must have 10 to 200 characters.')
    expect((await join({ password: PASSWORD, email: 'nobody' })).body.message).toBe('email must be a valid email.')
    expect((await join({ password: PASSWORD })).status).toBe(404)
  })
})

describe('a session', () => {
  test('starts with the password, and ends when the person signs out', async () => {
    const browser = browserOf(service.url)
    expect(await browser.signIn('ADA@example.com', 'not the password')).toMatchObject({ status: 403 })
    const answer = await browser.signIn('ADA@example.com')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('set-cookie')).toMatch(/^emissary_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/)
    expect((await browser.ask('GET', '/api/v1/bots')).status).toBe(200)
    expect((await browser.ask('DELETE', '/dashboard/v1/session')).status).toBe(200)
    expect((await browser.ask('GET', '/api/v1/bots')).status).toBe(401)
    expect((await browser.session()).status).toBe(401)
  })

  test('ends in every browser when the person signs out everywhere', async () => {
    const person = await invited('member')
    const { email } = (await person.session()).body.person
    const second = browserOf(service.url)
    await second.signIn(email)
    expect((await person.ask('GET', '/dashboard/v1/sessions')).body.sessions).toHaveLength(2)
    expect((await second.ask('DELETE', '/dashboard/v1/sessions')).status).toBe(200)
    for (const browser of [person, second]) expect((await browser.session()).status).toBe(401)
  })

  test('ends in other browsers when the password is changed', async () => {
    const person = await invited('viewer')
    const { email } = (await person.session()).body.person
    const second = browserOf(service.url)
    await second.signIn(email)
    const change = (current_password: string) =>
      person.ask('PUT', '/dashboard/v1/password', { current_password, new_password: 'another long password' })
    expect((await change('a wrong password')).status).toBe(403)
    expect((await change(PASSWORD)).status).toBe(200)
    expect((await second.session()).status).toBe(401)
    expect((await person.session()).status).toBe(200)
    expect((await second.signIn(email)).status).toBe(403)
    expect((await second.signIn(email, 'another long password')).status).toBe(200)
  })

  test('authenticates the API only with cookie, CSRF token and workspace header', async () => {
    const headers = { cookie: owner.cookie() }
    const anonymous = clientOf(service.url, null)
    expect((await owner.ask('GET', '/api/v1/bots')).status).toBe(200)
    expect((await anonymous('GET', '/api/v1/bots')).status).toBe(401)
    expect((await anonymous('GET', '/api/v1/bots', undefined, { cookie: 'emissary_session=made-up' })).status).toBe(401)
    expect(await anonymous('GET', '/api/v1/bots', undefined, headers)).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('X-CSRF-Token') },
    })
    expect((await owner.ask('GET', '/api/v1/bots', undefined, { 'x-csrf-token': 'x'.repeat(43) })).status).toBe(403)
    expect((await owner.ask('GET', '/api/v1/bots', undefined, { 'x-workspace': 'wsp_unknown' })).status).toBe(404)
    expect((await owner.ask('GET', '/api/v1/bots', undefined, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await owner.cookieOnly('POST', own('/keys'), { name: 'stolen' })).status).toBe(403)
    expect((await owner.cookieOnly('GET', own('/keys'))).status).toBe(403)
  })

  test('is ignored if the request has an API key', async () => {
    const answer = await owner.ask('GET', '/api/v1/bots', undefined, { authorization: 'Token made-up' })
    expect(answer).toMatchObject({ status: 403, body: { message: 'Forbidden' } })
  })

  test('is refused after ten wrong passwords in a minute, even with the right one', async () => {
    const from = (address: string, password: string) =>
      clientOf(service.url, null)('POST', '/dashboard/v1/session', { email: OWNER.email, password }, { 'x-forwarded-for': address })
    for (let count = 0; count < 10; count += 1) expect((await from('192.0.2.1', 'a wrong guess')).status).toBe(403)
    expect(await from('192.0.2.1', PASSWORD)).toMatchObject({ status: 429, body: { message: expect.stringContaining('Too many') } })
    expect((await from('192.0.2.2', PASSWORD)).status).toBe(200)
  })
})

describe('roles', () => {
  test('lets a viewer read everything and change nothing', async () => {
    const viewer = await invited('viewer')
    const { body: bot } = await scheduled(owner)
    expect((await viewer.ask('GET', `/api/v1/bots/${bot.bot_id}/detail`)).status).toBe(200)
    const refused = [
      await scheduled(viewer),
      await viewer.ask('GET', `/api/v1/bots/${bot.bot_id}/remove_bot`),
      await viewer.ask('DELETE', `/api/v1/bots/${bot.bot_id}/delete`),
      await viewer.ask('POST', '/api/v1/webhook_endpoints', { url: 'http://127.0.0.1:9/', events: ['*'] }),
      await viewer.ask('POST', own('/keys'), { name: 'mine' }),
      await viewer.ask('POST', own('/invitations'), { email: 'friend@example.com', role: 'owner' }),
      await viewer.ask('PATCH', own(''), { name: 'Renamed' }),
      await viewer.ask('POST', '/dashboard/v1/workspaces', { name: 'Mine' }),
    ]
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 403))
    expect((await owner.ask('GET', `/api/v1/bots/${bot.bot_id}/status`)).body.status).toBe('Scheduled')
  })

  test('lets a member send bots but not create keys or invite members', async () => {
    const member = await invited('member')
    const { body } = await scheduled(member)
    expect((await member.ask('GET', `/api/v1/bots/${body.bot_id}/remove_bot`)).status).toBe(200)
    const { user_id } = (await member.session()).body.workspaces[0]
    expect((await member.ask('POST', own('/keys'), { name: 'mine' })).status).toBe(403)
    expect((await member.ask('PATCH', own(`/people/${user_id}`), { role: 'owner' })).status).toBe(403)
  })

  test('rejects a removed member at once', async () => {
    const member = await invited('member')
    const { user_id } = (await member.session()).body.workspaces[0]
    expect((await owner.ask('DELETE', own(`/people/${user_id}`))).status).toBe(200)
    expect((await member.ask('GET', '/api/v1/bots')).status).toBe(404)
    expect((await member.session()).body.workspaces).toEqual([])
  })

  test('refuses to remove or demote the last owner', async () => {
    const [mine] = (await owner.session()).body.workspaces
    for (const answer of [
      await owner.ask('PATCH', own(`/people/${mine.user_id}`), { role: 'viewer' }),
      await owner.ask('DELETE', own(`/people/${mine.user_id}`)),
    ])
      expect(answer).toMatchObject({ status: 409, body: { message: expect.stringContaining('needs an owner') } })
  })
})

describe('another workspace', () => {
  test('rejects the session of a non-member, by path and by header', async () => {
    const { body } = await service.operator('POST', '/admin/v1/workspaces', { name: 'theirs', user_email: 'them@example.com' })
    const their = clientOf(service.url, body.api_key)
    const { body: bot } = await their('POST', '/api/v1/bots/create_bot', { meeting_link: 'https://meet.google.com/abc-defg-hij' })
    const before = (await their('GET', `/api/v1/bots/${bot.bot_id}/status`)).body

    const paths = ['status', 'detail', 'get_participants', 'get_chats'].map((what) => `/api/v1/bots/${bot.bot_id}/${what}`)
    for (const path of paths) expect((await owner.ask('GET', path)).body.message, path).toBe('Bot not found')
    for (const path of ['/api/v1/bots', ...paths])
      expect((await owner.ask('GET', path, undefined, { 'x-workspace': body.workspace_id })).status, path).toBe(404)
    for (const path of ['/people', '/keys', '/live'])
      expect((await owner.ask('GET', `/dashboard/v1/workspaces/${body.workspace_id}${path}`)).status, path).toBe(404)
    const at = `/dashboard/v1/workspaces/${body.workspace_id}`
    expect((await owner.ask('POST', `${at}/keys`, { name: 'mine' })).status).toBe(404)
    expect((await owner.ask('POST', `${at}/invitations`, { email: 'me@example.com', role: 'owner' })).status).toBe(404)
    expect((await their('GET', `/api/v1/bots/${bot.bot_id}/status`)).body).toEqual(before)
  })

  test('is separate from the first when its owner creates it', async () => {
    const { body } = await owner.ask('POST', '/dashboard/v1/workspaces', { name: 'Second' })
    const second = browserOf(service.url)
    await second.signIn(OWNER.email)
    second.choose(body.workspace_id)
    expect((await second.ask('GET', '/api/v1/bots')).body.bots).toEqual([])
    expect((await second.ask('POST', own('/invitations', second), { email: OWNER.email, role: 'viewer' })).status).toBe(409)
    expect((await second.session()).body.workspaces.map(({ name }: { name: string }) => name)).toEqual(['Second', 'default'])
  })
})

describe('an API key', () => {
  test('is shown once, listed with its last use, and revoked only by its own workspace', async () => {
    const { body: made } = await owner.ask('POST', own('/keys'), { name: 'CI' })
    const client = clientOf(service.url, made.api_key)
    expect((await client('GET', '/api/v1/bots')).status).toBe(200)
    const listed = async () => {
      const { keys } = (await owner.ask('GET', own('/keys'))).body
      expect(JSON.stringify(keys)).not.toContain(made.api_key)
      return keys.find((key: { key_id: string }) => key.key_id === made.key_id)
    }
    expect(await listed()).toMatchObject({ name: 'CI', hint: made.api_key.slice(-4), user_email: 'ada@example.com' })
    await until('its use is noted', async () => Date.parse((await listed()).last_used_at) > Date.now() - 60_000)

    const { body: other } = await owner.ask('POST', '/dashboard/v1/workspaces', { name: 'Other' })
    expect((await owner.ask('DELETE', `/dashboard/v1/workspaces/${other.workspace_id}/keys/${made.key_id}`)).status).toBe(404)
    expect((await owner.ask('DELETE', own(`/keys/${made.key_id}`))).status).toBe(200)
    expect((await client('GET', '/api/v1/bots')).status).toBe(403)
  })
})

describe('an invitation', () => {
  test('is withdrawn, replaced by a newer one, and accepted only with the password of an existing account', async () => {
    const invite = async () => (await owner.ask('POST', own('/invitations'), { email: 'grace@example.com', role: 'member' })).body.url
    const first = await invite()
    const second = await invite()
    const browser = browserOf(service.url)
    expect((await browser.join(first, { name: 'Grace' })).status).toBe(404)
    expect((await browser.join(second, { name: 'Grace' })).status).toBe(200)

    const { user_id } = (await browser.session()).body.workspaces[0]
    await owner.ask('DELETE', own(`/people/${user_id}`))
    const again = await invite()
    expect((await browserOf(service.url).join(again, { name: 'Mallory', password: 'a password of Mallory' })).status).toBe(403)
    const { invitations } = (await owner.ask('GET', own('/people'))).body
    const { invitation_id } = invitations.find(({ email }: { email: string }) => email === 'grace@example.com')
    expect((await owner.ask('DELETE', own(`/invitations/${invitation_id}`))).status).toBe(200)
    expect((await browser.join(again, { name: 'Grace' })).status).toBe(404)
  })
})

describe('the live stream', () => {
  test('sends events of the workspace’s own bots only', async () => {
    const member = await invited('member')
    const leaving = new AbortController()
    const opened = await fetch(`${service.url}${own('/live')}`, { headers: { cookie: member.cookie() }, signal: leaving.signal })
    expect(opened.status).toBe(200)
    expect((await fetch(opened.url)).status).toBe(401)
    let seen = ''
    const reading = (async () => {
      for await (const part of opened.body ?? []) seen += Buffer.from(part).toString()
    })().catch(() => undefined)
    await until('the stream is open', () => seen.includes(': open'))
    const { body: bot } = await scheduled(owner)
    await until('the event of the new bot arrives', () => seen.includes(bot.bot_id))
    expect(seen).toContain('"status":"Scheduled"')
    leaving.abort()
    await reading
  })
})

test('checks a meeting link for the form', async () => {
  const check = async (meeting_link: string) => (await owner.ask('POST', own('/check_link'), { meeting_link })).body
  expect(await check('https://meet.google.com/abc-defg-hij')).toEqual({ platform: 'GMeet', problem: null })
  expect(await check('https://example.com/')).toEqual({ platform: null, problem: expect.any(String) })
})
