// Which login a bot gets, and the checks of a login's fields.
import { beforeAll, describe, expect, test } from 'vitest'
import { makeCertificate } from '../../sims/google-accounts/certificate.ts'
import { keyPair, secretsOf } from '../helpers/meetings/google-login.ts'
import { serviceForFile } from '../helpers/service/for-file.ts'
import type { Client } from '../helpers/service/service.ts'

const MEET = 'https://meet.google.com/abc-defg-hij'
const TEAMS = 'https://teams.microsoft.com/meet/2345678901234?p=abcDEF'
const NEXT_WEEK = new Date(Date.now() + 7 * 86_400_000).toISOString()

// Without workers, bots stay in Joining and keep their logins.
const service = serviceForFile({ BOT_WORKERS: '0' })
let api: Client
beforeAll(async () => {
  api = service.api
})

async function addTeamsDomain(domain: string, ...emails: string[]): Promise<void> {
  await api('POST', '/api/v1/teams-login-domains', { domain })
  for (const email of emails) await api('POST', '/api/v1/teams-logins', { domain, email, password: 'x' })
}

const createTeams = (platformc: object, rest: object = {}) =>
  api('POST', '/api/v1/bots/create_bot', { meeting_link: TEAMS, platformc, ...rest })
const createMeet = (platformb: object, rest: object = {}) =>
  api('POST', '/api/v1/bots/create_bot', { meeting_link: MEET, platformb, ...rest })

describe('Teams: one bot per login at a time', () => {
  test('answers 429 if all logins are in use, and reuses a freed login', async () => {
    await addTeamsDomain('one.example', 'a@one.example')
    const first = await createTeams({ platformc_login_domain: 'one.example' })
    expect(first.status).toBe(201)
    expect(await createTeams({ platformc_login_domain: 'one.example' })).toMatchObject({
      status: 429,
      body: { message: expect.stringContaining('one.example') },
    })
    expect((await api('GET', '/api/v1/teams-logins')).body.logins[0]).toMatchObject({ active_sessions: 1, lease_status: 'in_use' })
    const { limits } = (await api('GET', '/api/v1/teams-login-domains/one.example')).body
    expect(limits).toEqual({ sessions_per_login: 1, total_sessions: 1, active_sessions: 1 })
    await api('GET', `/api/v1/bots/${first.body.bot_id}/remove_bot`)
    expect((await createTeams({ platformc_login_domain: 'one.example' })).status).toBe(201)
  })

  test('answers 404 for an unknown sign_in_email, 409 for a busy one with strict_email, and takes another login otherwise', async () => {
    await addTeamsDomain('pin.example', 'a@pin.example', 'b@pin.example')
    const pin = (sign_in_email: string, strict_email: boolean) =>
      createTeams({ platformc_login_domain: 'pin.example', sign_in_email, strict_email })
    expect((await pin('nobody@pin.example', false)).status).toBe(404)
    const first = await pin('a@pin.example', true)
    expect(first.status).toBe(201)
    expect((await pin('A@pin.example', true)).status).toBe(409)
    expect((await pin('a@pin.example', false)).status).toBe(201)
  })

  test('accepts a scheduled bot while its login is busy', async () => {
    await addTeamsDomain('busy.example', 'a@busy.example')
    const platformc = { platformc_login_domain: 'busy.example' }
    expect((await createTeams(platformc)).status).toBe(201)
    expect((await createTeams(platformc)).status).toBe(429)
    expect((await createTeams(platformc, { join_at: NEXT_WEEK })).status).toBe(201)
    const pinned = { ...platformc, sign_in_email: 'a@busy.example', strict_email: true }
    expect((await createTeams(pinned)).status).toBe(409)
    expect((await createTeams(pinned, { join_at: NEXT_WEEK })).status).toBe(201)
    expect((await createTeams({ ...pinned, sign_in_email: 'b@busy.example' }, { join_at: NEXT_WEEK })).status).toBe(404)
    const { logins } = (await api('GET', '/api/v1/teams-logins')).body
    const { login_id } = logins.find(({ email }: { email: string }) => email === 'a@busy.example')
    await api('PATCH', `/api/v1/teams-logins/${login_id}`, { is_active: false })
    expect((await createTeams(pinned, { join_at: NEXT_WEEK })).status).toBe(409)
    expect((await createTeams(platformc, { join_at: NEXT_WEEK })).status).toBe(429)
  })

  test('gives 3 logins once each to 50 concurrent requests, and answers 429 with Retry-After to the others', async () => {
    const emails = ['a@crowd.example', 'b@crowd.example', 'c@crowd.example']
    await addTeamsDomain('crowd.example', ...emails)
    const answers = await Promise.all(Array.from({ length: 50 }, () => createTeams({ platformc_login_domain: 'crowd.example' })))
    const made = answers.filter(({ status }) => status === 201)
    const refused = answers.filter(({ status }) => status === 429)
    expect([made.length, refused.length]).toEqual([3, 47])
    for (const { headers } of refused) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    const ids = made.map(({ body }) => body.bot_id)
    const rows = await service.db.selectFrom('bots').select('login_id').where('id', 'in', ids).execute()
    expect(new Set(rows.map((row) => row.login_id)).size).toBe(3)
    const { logins } = (await api('GET', '/api/v1/teams-logins')).body
    const ours = logins.filter(({ domain }: { domain: string }) => domain === 'crowd.example')
    expect(ours.map((it: { active_sessions: number }) => it.active_sessions)).toEqual([1, 1, 1])
  })

  test('answers 403 for a domain of another account', async () => {
    const stranger = await service.stranger()
    await stranger('POST', '/api/v1/teams-login-domains', { domain: 'theirs.example' })
    expect((await createTeams({ platformc_login_domain: 'theirs.example' })).status).toBe(403)
  })
})

describe('Google Meet: a login’s key pair', () => {
  const domain = 'keys.example'
  const add = (change: object, email = 'bot@keys.example') =>
    api('POST', '/api/v1/google-logins', { domain, email, ...secretsOf(), ...change })
  const wrong: readonly [string, () => object, RegExp][] = [
    ['an invalid private key', () => ({ sso_private_key_pem: 'x' }), /^sso_private_key_pem must be a private key/],
    [
      'a certificate instead of a key',
      () => ({ sso_private_key_pem: keyPair().certificate }),
      /^sso_private_key_pem must be a private key/,
    ],
    ['an invalid certificate', () => ({ sso_cert_pem: 'x' }), /^sso_cert_pem must be an X.509 certificate/],
    ['a certificate of another key', () => ({ sso_cert_pem: makeCertificate().certificate }), /^sso_cert_pem must be the certificate of/],
    [
      'a short key',
      () => secretsOf(makeCertificate({ kind: 'rsa:1024' })),
      /^sso_private_key_pem must be an RSA key of at least 2048 bits/,
    ],
    ['a key of another kind', () => secretsOf(makeCertificate({ kind: 'ec' })), /^sso_private_key_pem must be an RSA key/],
  ]

  test.each(wrong)('rejects %s on create and on change', async (_, change, message) => {
    await api('POST', '/api/v1/google-login-domains', { sso_workspace_domain: domain })
    expect(await add(change())).toMatchObject({ status: 400, body: { message: expect.stringMatching(message) } })
    const { body } = await add({}, `${Math.random()}@keys.example`)
    const changed = await api('PATCH', `/api/v1/google-logins/${body.login_id}`, { ...secretsOf(), ...change() })
    expect(changed).toMatchObject({ status: 400, body: { message: expect.stringMatching(message) } })
  })

  test('rejects an email of another domain', async () => {
    for (const email of ['bot@other.example', 'bot@sub.keys.example', 'bot@notkeys.example'])
      expect(await add({}, email)).toMatchObject({ status: 400, body: { message: 'email must end in @keys.example.' } })
    const { body, status } = await add({}, 'Bot@KEYS.example')
    expect(status).toBe(201)
    expect((await api('PATCH', `/api/v1/google-logins/${body.login_id}`, { email: 'bot@other.example' })).status).toBe(400)
    expect((await api('PATCH', `/api/v1/google-logins/${body.login_id}`, { email: 'bot2@keys.example' })).status).toBe(200)
    expect((await api('PATCH', '/api/v1/google-logins/lgn_nobody', { email: 'bot2@keys.example' })).status).toBe(404)
  })
})

describe('Google Meet: 30 sessions per login', () => {
  const add = async (domain: string, ...emails: string[]) => {
    await api('POST', '/api/v1/google-login-domains', { sso_workspace_domain: domain })
    for (const email of emails) await api('POST', '/api/v1/google-logins', { domain, email, ...secretsOf() })
  }

  test('answers 429 with no registered, active or free login, and else takes the least used one', async () => {
    await add('full.example')
    const create = (platformb: object = {}) => createMeet({ platformb_login_domain: 'full.example', ...platformb })
    expect((await create()).status).toBe(429)
    await add('full.example', 'a@full.example', 'b@full.example')
    for (let index = 0; index < 60; index++) {
      expect((await create()).status).toBe(201)
    }
    const { logins } = (await api('GET', '/api/v1/google-logins')).body
    expect(
      logins
        .filter((login: { domain: string }) => login.domain === 'full.example')
        .map((login: { active_sessions: number }) => login.active_sessions),
    ).toEqual([30, 30])
    expect((await create()).status).toBe(429)
    expect((await create({ sign_in_email: 'a@full.example', strict_email: true })).status).toBe(429)
    expect((await create({ sign_in_email: 'nobody@full.example' })).status).toBe(429)
  })

  test('checks a scheduled bot at creation, and assigns its login at the start', async () => {
    await add('later.example', 'a@later.example')
    const { status, body } = await createMeet({ platformb_login_domain: 'later.example' }, { join_at: NEXT_WEEK })
    expect(status).toBe(201)
    const row = await service.db.selectFrom('bots').select('login_id').where('id', '=', body.bot_id).executeTakeFirstOrThrow()
    expect(row.login_id).toBeNull()
    expect((await createMeet({ platformb_login_domain: 'unknown.example' }, { join_at: NEXT_WEEK })).status).toBe(400)
  })
})
