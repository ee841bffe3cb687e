// API keys of people: a key has the present role of its person, and each key names its maker.
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import type { WorkspaceId } from '../../src/domain/bot.ts'
import { lockMembers, removeMember } from '../../src/service/db/accounts/people.ts'
import { inTransaction } from '../../src/service/db/database.ts'
import { browserOf, inviteTo, type TestBrowser } from '../helpers/service/dashboard.ts'
import { serviceForFile } from '../helpers/service/for-file.ts'
import { type Client, clientOf, WITH_DASHBOARD } from '../helpers/service/service.ts'
import { until } from '../helpers/until.ts'

const service = serviceForFile(WITH_DASHBOARD)
let owner: TestBrowser
beforeAll(async () => {
  owner = browserOf(service.url)
  await owner.join(service.setUpUrl, { name: 'Ada', email: 'ada@example.com' })
})

const own = (path: string) => `/dashboard/v1/workspaces/${owner.workspaceId()}${path}`

const sendTomorrow = (client: Client) =>
  client('POST', '/api/v1/bots/create_bot', {
    meeting_link: 'https://meet.google.com/abc-defg-hij',
    join_at: new Date(Date.now() + 86_400_000).toISOString(),
  })

type Made = { readonly client: Client; readonly keyId: string; readonly userId: string; readonly email: string }

/** A second owner with a key that was used, so that it is cached. */
async function ownerWithKey(body: object): Promise<Made> {
  const person = await inviteTo(owner, 'owner')
  const { workspaces, person: account } = (await person.session()).body
  const { body: made } = await person.ask('POST', own('/keys'), body)
  const client = clientOf(service.url, made.api_key)
  expect((await client('GET', '/api/v1/bots')).status).toBe(200)
  return { client, keyId: made.key_id, userId: workspaces[0].user_id, email: account.email }
}

const setRole = (userId: string, role: string) => owner.ask('PATCH', own(`/people/${userId}`), { role })

test('lets the personal key of a demoted person only read, at once', async () => {
  const { client, userId } = await ownerWithKey({ name: 'personal' })
  const { body: bot } = await sendTomorrow(client)
  expect((await setRole(userId, 'viewer')).status).toBe(200)
  expect(await sendTomorrow(client)).toMatchObject({ status: 403, body: { message: expect.stringContaining('can only read') } })
  expect((await client('GET', `/api/v1/bots/${bot.bot_id}/remove_bot`)).status).toBe(403)
  expect((await client('DELETE', `/api/v1/bots/${bot.bot_id}/delete`)).status).toBe(403)
  expect((await client('GET', `/api/v1/bots/${bot.bot_id}/status`)).body.status).toBe('Scheduled')
})

test('lets the personal key of a promoted person write again', async () => {
  const { client, userId } = await ownerWithKey({ name: 'personal' })
  await setRole(userId, 'viewer')
  expect((await sendTomorrow(client)).status).toBe(403)
  await setRole(userId, 'member')
  expect((await sendTomorrow(client)).status).toBe(201)
})

test('rejects the personal key of a removed person at once', async () => {
  const { client, userId } = await ownerWithKey({ name: 'personal' })
  expect((await owner.ask('DELETE', own(`/people/${userId}`))).status).toBe(200)
  expect((await client('GET', '/api/v1/bots')).status).toBe(403)
})

test('makes no key for an owner who is removed at the same time', async () => {
  const person = await inviteTo(owner, 'owner')
  const userId = (await person.session()).body.workspaces[0].user_id
  const making = await inTransaction(service.db, async (tx) => {
    await lockMembers(tx, owner.workspaceId() as WorkspaceId)
    await removeMember(tx, userId, new Date())
    const made = person.ask('POST', own('/keys'), { name: 'late' })
    await until('the new key waits for the removal', async () => {
      const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      return (await waiting.execute(service.db)).rows.length > 0
    })
    return { made }
  })
  expect((await making.made).status).toBe(403)
})

test('lets a service key write after its maker was demoted and removed', async () => {
  const { client, userId } = await ownerWithKey({ name: 'service', service: true })
  await setRole(userId, 'viewer')
  expect((await sendTomorrow(client)).status).toBe(201)
  await owner.ask('DELETE', own(`/people/${userId}`))
  expect((await sendTomorrow(client)).status).toBe(201)
})

test('gives a key of the operator to a user who may write', async () => {
  const { body: workspace } = await service.operator('POST', '/admin/v1/workspaces', { name: 'theirs', user_email: 'them@example.com' })
  await service.db.updateTable('users').set({ role: 'viewer' }).where('id', '=', workspace.user_id).execute()
  const member = { id: 'usr_member', workspace_id: workspace.workspace_id, email: 'member@example.com', role: 'member' as const }
  await service.db
    .insertInto('users')
    .values({ ...member, created_at: new Date() })
    .execute()
  const { body } = await service.operator('POST', `/admin/v1/workspaces/${workspace.workspace_id}/keys`, { name: 'made by the operator' })
  expect((await sendTomorrow(clientOf(service.url, body.api_key))).status).toBe(201)
})

async function listed(keyId: string) {
  const { keys } = (await owner.ask('GET', own('/keys'))).body
  return keys.find(({ key_id }: { key_id: string }) => key_id === keyId)
}

test('lists a service key with the person who made it, also after that person was removed', async () => {
  const { keyId, userId, email } = await ownerWithKey({ name: 'service', service: true })
  await owner.ask('DELETE', own(`/people/${userId}`))
  expect(await listed(keyId)).toMatchObject({ user_email: null, made_by: email })
})

test('lists a personal key with its person as the maker', async () => {
  const { keyId, email } = await ownerWithKey({ name: 'personal' })
  expect(await listed(keyId)).toMatchObject({ user_email: email, made_by: email })
})

test('lists keys of the operator and of the first start with the operator as the maker', async () => {
  const { body } = await service.operator('POST', `/admin/v1/workspaces/${owner.workspaceId()}/keys`, { name: 'service', service: true })
  expect(await listed(body.key_id)).toMatchObject({ user_email: null, made_by: 'operator' })
  const { keys } = (await owner.ask('GET', own('/keys'))).body
  expect(keys.find(({ name }: { name: string }) => name === 'first key')).toMatchObject({ made_by: 'operator' })
})

test('lists a key of an earlier version without a maker', async () => {
  const { keyId } = await ownerWithKey({ name: 'service', service: true })
  await service.db.updateTable('api_keys').set({ made_by: null }).where('id', '=', keyId).execute()
  expect(await listed(keyId)).toMatchObject({ made_by: null })
})
