import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createTestFleet } from '../../../test/helpers/service/fleet.ts'
import { databaseForFile } from '../../../test/helpers/service/for-file.ts'
import { createHttpClient } from '../../kit/http-client.ts'
import { setTeamsApp } from '../db/accounts/accounts.ts'
import { createVault } from './secrets.ts'
import { createBotTokens, ownerOf, teamsIdentityFor } from './teams-app.ts'

const APP = { tenant: 'acme.example', clientId: 'client-1', secret: 'hush' }
const HOUR_MS = 3_600_000

const database = databaseForFile()

type Reply = { readonly status: number; readonly json: object }
const answer = (token: string): Reply => ({ status: 200, json: { access_token: token, expires_in: 3_599 } })
const REFUSAL: Reply = {
  status: 401,
  json: { error: 'invalid_client', error_description: 'AADSTS7000215: Invalid client secret provided. Trace ID: 5f0c\r\nTimestamp: 2026' },
}

/** A token endpoint, and a clock. */
async function bench(replies: readonly Reply[]) {
  const asked: { readonly path: string | undefined; readonly form: Record<string, string> }[] = []
  const server = createServer(async (request, response) => {
    const { status, json } = replies[Math.min(asked.length, replies.length - 1)] ?? answer('none')
    const body = (await request.toArray()).join('')
    asked.push({ path: request.url, form: Object.fromEntries(new URLSearchParams(body)) })
    response.writeHead(status).end(JSON.stringify(json))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const http = createHttpClient({ allowPrivate: true })
  onTestFinished(async () => {
    await http.close()
    server.close()
  })
  let nowMs = Date.parse('2026-11-19T12:00:00Z')
  const loginUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const tokens = createBotTokens({ http, loginUrl, now: () => new Date(nowMs) })
  const pass = (ms: number) => {
    nowMs += ms
  }
  return { asked, tokens, pass }
}

test('asks by client credentials for the scope of Teams', async () => {
  const { asked, tokens } = await bench([answer('t1')])
  expect(await tokens(APP)).toEqual({ kind: 'token', token: 't1' })
  const form = {
    grant_type: 'client_credentials',
    client_id: 'client-1',
    client_secret: 'hush',
    scope: 'https://ic3.teams.office.com/.default',
  }
  expect(asked).toEqual([{ path: '/acme.example/oauth2/v2.0/token', form }])
})

test('gets one token for many bots, and another shortly before it ends', async () => {
  const { asked, tokens, pass } = await bench([answer('t1'), answer('t2')])
  const many = await Promise.all(Array.from({ length: 20 }, () => tokens(APP)))
  expect(new Set(many.map((it) => it.kind === 'token' && it.token))).toEqual(new Set(['t1']))
  pass(HOUR_MS - 10 * 60_000)
  expect(await tokens(APP)).toEqual({ kind: 'token', token: 't1' })
  pass(6 * 60_000)
  expect(await tokens(APP)).toEqual({ kind: 'token', token: 't2' })
  expect(asked).toHaveLength(2)
})

test('asks again for a token without a number of seconds', async () => {
  const { asked, tokens } = await bench([{ status: 200, json: { access_token: 't1', expires_in: 'soon' } }, answer('t2')])
  await tokens(APP)
  expect([await tokens(APP), asked.length]).toEqual([{ kind: 'token', token: 't2' }, 2])
})

test('says why Microsoft refused, without the secret, and asks again later', async () => {
  const { asked, tokens, pass } = await bench([REFUSAL, answer('t1')])
  const message =
    'The bot could not identify itself to Microsoft Teams as the app client-1: invalid_client: AADSTS7000215: Invalid client secret provided.'
  expect([await tokens(APP), await tokens(APP)]).toEqual([
    { kind: 'refused', message },
    { kind: 'refused', message },
  ])
  expect(asked).toHaveLength(1)
  expect(await tokens({ ...APP, secret: 'another' }), 'the secret was replaced').toEqual({ kind: 'token', token: 't1' })
  pass(HOUR_MS)
  expect(await tokens(APP)).toMatchObject({ kind: 'token' })
})

test('refuses instead of throwing where Microsoft cannot be reached', async () => {
  const http = createHttpClient({ allowPrivate: true })
  onTestFinished(() => http.close())
  const tokens = createBotTokens({ http, loginUrl: 'http://127.0.0.1:9', now: () => new Date() })
  expect(await tokens(APP)).toMatchObject({ kind: 'refused', message: expect.stringMatching(/could not be reached \(ECONNREFUSED\)$/) })
})

test('prefers the workspace’s app to the server’s, also when its secret cannot be decrypted', async () => {
  const { db } = database
  const { workspaceId } = await createTestFleet(db)
  const vault = createVault('a secret key')
  const tokens = async ({ clientId, secret }: typeof APP) => ({ kind: 'token' as const, token: `${clientId} ${secret}` })
  const deps = { db, vault, tokens, app: APP }
  expect(await teamsIdentityFor({ ...deps, app: null }, workspaceId)).toBeNull()
  expect(await teamsIdentityFor(deps, workspaceId)).toEqual({ kind: 'token', token: 'client-1 hush' })
  const own = { tenant: 'own.example', clientId: 'own', secret: vault.seal(ownerOf(workspaceId), 'own secret') }
  await setTeamsApp(db, workspaceId, own)
  expect(await teamsIdentityFor(deps, workspaceId)).toEqual({ kind: 'token', token: 'own own secret' })
  expect(await teamsIdentityFor({ ...deps, vault: createVault('another key') }, workspaceId)).toMatchObject({
    kind: 'refused',
    message: expect.stringContaining('cannot be decrypted; set teams_bot_client_secret again'),
  })
})
