// Tenancy: a workspace cannot read, change or detect data of another workspace.
import { beforeAll, describe, expect, test } from 'vitest'
import { calendarServiceForFile } from '../helpers/calendars/calendar.ts'
import { type Operation, operationsOf, readDescription } from '../helpers/requests/openapi.ts'
import { ADMIN_TOKEN, API_KEY, type Client, clientOf } from '../helpers/service/service.ts'
import { ownerOf, type Possessions } from '../helpers/service/tenancy.ts'

const service = calendarServiceForFile()
let owner: Client
let stranger: Client
let machine: Client
let operations: readonly Operation[]

beforeAll(async () => {
  owner = service.api
  stranger = await service.stranger()
  machine = await service.stranger({ service: true })
  operations = operationsOf(await readDescription(owner))
})

const nameOf = ({ method, path }: Operation) => `${method} ${path}`
/** Vendor names are not ids of a workspace. provider-keys.test.ts covers their keys. */
const ofWorkspaces = () => operations.filter(({ opensWith, path }) => opensWith === 'apiKey' && !path.includes('/speech_providers'))

/** The answer without fields that differ in every answer. */
async function ask(client: Client, { method, path }: Operation, body: unknown, query = ''): Promise<{ status: number; body: unknown }> {
  const answer = await client(method, path + query, body)
  return { status: answer.status, body: answer.body }
}

describe('an id of another workspace', () => {
  test('gets the same answer as an unknown id in a path', { timeout: 120_000 }, async () => {
    const bearing = ofWorkspaces().filter(({ pathParameters }) => pathParameters.length > 0)
    expect(bearing.length).toBeGreaterThanOrEqual(40)
    for (const operation of bearing) {
      const possessions = await ownerOf(owner, service.google)
      const body = possessions.bodyFor(operation)
      const at = (ids: Possessions['existing']) => ({ ...operation, path: filled(operation, ids) })
      const before = await possessions.rows()

      const unknown = await ask(stranger, at(possessions.unknown), body)
      const foreign = await ask(stranger, at(possessions.existing), body)
      expect(unknown.status, nameOf(operation)).toBe(404)
      // Only here does the specification distinguish the two.
      if (/\/(pause|resume)_recording$/.test(operation.path)) expect(foreign.status, nameOf(operation)).toBe(403)
      else expect(foreign, nameOf(operation)).toEqual(unknown)

      expect(await possessions.rows(), nameOf(operation)).toEqual(before)
      // The owner's request proves that the id exists and the request is valid.
      const own = await ask(owner, at(possessions.existing), body)
      expect(own, nameOf(operation)).not.toEqual(unknown)
      expect(own.status, nameOf(operation)).not.toBe(400)
    }
  })

  test('gets the same answer as an unknown id in a query', async () => {
    const bearing = ofWorkspaces().flatMap((operation) =>
      operation.query.filter(({ name }) => name.endsWith('_id')).map(({ name }) => ({ operation, name })),
    )
    expect(bearing.map(({ operation, name }) => `${nameOf(operation)}?${name}`)).toContain('GET /api/v1/webhook_deliveries?bot_id')
    for (const { operation, name } of bearing) {
      const { existing, unknown } = await ownerOf(owner, service.google)
      const asked = (client: Client, ids: Possessions['existing']) =>
        ask(client, operation, undefined, `?${name}=${idIn(ids, operation, name)}`)
      const foreign = await asked(stranger, existing)
      expect(foreign, nameOf(operation)).toEqual(await asked(stranger, unknown))
      expect(await asked(owner, existing), nameOf(operation)).not.toEqual(foreign)
    }
  })

  test('gets the same answer as an unknown id in the body of a new login', async () => {
    const { existing, unknown, bodyFor } = await ownerOf(owner, service.google)
    const adding = ofWorkspaces().filter(({ method, path }) => method === 'POST' && path.endsWith('-logins'))
    expect(adding.length).toBe(2)
    for (const operation of adding) {
      const asked = (ids: Possessions['existing']) =>
        ask(stranger, operation, { ...bodyFor(operation), domain: idIn(ids, operation, 'domain') })
      const answer = await asked(existing)
      expect(answer, nameOf(operation)).toEqual(await asked(unknown))
      expect(answer.status, nameOf(operation)).toBe(404)
    }
  })
})

function filled(operation: Operation, ids: Possessions['existing']): string {
  return operation.path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(idIn(ids, operation, name)))
}

/** An operation with a new kind of id fails until this suite covers it. */
function idIn(ids: Possessions['existing'], { path }: Operation, name: string): string {
  const id = ids[path.includes('teams-') ? `teams ${name}` : name]
  if (id === undefined) throw new Error(`${path} takes a ${name}, of which test/helpers/service/tenancy.ts makes none`)
  return id
}

describe('a list', () => {
  const lists = () =>
    ofWorkspaces().filter(({ method, pathParameters, answers }) => method === 'GET' && pathParameters.length === 0 && answers.has(200))

  test('shows only rows of the caller’s workspace', async () => {
    const { marks } = await ownerOf(owner, service.google)
    // The operator's grant is the only difference in the owner's usage.
    const { body } = await service.operator('GET', '/admin/v1/workspaces')
    const { workspace_id } = body.workspaces.find(({ name }: { name: string }) => name === 'default')
    await service.operator('POST', `/admin/v1/workspaces/${workspace_id}/credits`, { amount: 8642.25 })

    expect(lists().length).toBeGreaterThan(10)
    const seen = (text: string) => [...marks, '8642.25'].filter((mark) => text.includes(mark))
    for (const operation of lists()) {
      expect(seen(JSON.stringify(await ask(owner, operation, undefined))), nameOf(operation)).not.toEqual([])
      if (operation.path.includes('calendar')) continue
      for (const other of [stranger, machine])
        expect(seen(JSON.stringify(await ask(other, operation, undefined))), nameOf(operation)).toEqual([])
    }
    const ofUsers = lists().filter(({ path }) => path.includes('calendar'))
    for (const operation of ofUsers) expect(seen(JSON.stringify(await ask(stranger, operation, undefined))), nameOf(operation)).toEqual([])
  })

  test('shows nothing of another workspace, even with its cursor', async () => {
    await ownerOf(owner, service.google)
    await ownerOf(owner, service.google)
    const paged = lists().filter(({ query }) => query.some(({ name }) => name === 'cursor'))
    expect(paged.length).toBeGreaterThanOrEqual(2)
    const otherWorkspace = await service.stranger()
    for (const operation of paged) {
      const { next, nextCursor = next } = (await owner('GET', `${operation.path}?limit=1`)).body
      expect(nextCursor, nameOf(operation)).toEqual(expect.any(String))
      const asked = await ask(otherWorkspace, operation, undefined, `?cursor=${encodeURIComponent(nextCursor)}`)
      const likeNone = await ask(otherWorkspace, operation, undefined)
      const likeMadeUp = await ask(otherWorkspace, operation, undefined, '?cursor=made-up')
      expect([likeNone, likeMadeUp], nameOf(operation)).toContainEqual(asked)
    }
  })
})

describe('idempotency', () => {
  const meeting_link = 'https://meet.google.com/abc-defg-hij'
  const create = (client: Client, body: object, headers = {}) =>
    client('POST', '/api/v1/bots/create_bot', { meeting_link, ...body }, headers)

  test('scopes an Idempotency-Key to its workspace', async () => {
    const headers = { 'idempotency-key': 'the-same-for-all' }
    const first = await create(owner, {}, headers)
    const second = await create(stranger, {}, headers)
    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.body.bot_id).not.toBe(first.body.bot_id)
    expect((await create(stranger, {}, headers)).body.bot_id).toBe(second.body.bot_id)
  })

  test('scopes a deduplication_key to its workspace', async () => {
    const body = { deduplication_key: 'the-same-for-all' }
    const first = await create(owner, body)
    const second = await create(stranger, { ...body, meeting_link: 'https://meet.google.com/xyz-wxyz-xyz' })
    expect([first.status, second.status]).toEqual([201, 201])
    expect((await create(owner, body)).body.bot_id).toBe(first.body.bot_id)
  })

  test('does not count pause requests of another workspace against the owner’s limit', async () => {
    const { existing } = await ownerOf(owner, service.google)
    const path = `/api/v1/bots/${existing.bot_id}/pause_recording`
    for (let count = 0; count < 40; count += 1) await stranger('POST', path)
    expect((await owner('POST', path)).status).toBe(409)
  })
})

describe('tokens', () => {
  const statuses = async (asked: readonly Operation[], client: Client) => {
    const answers = await Promise.all(asked.map((operation) => ask(client, operation, undefined)))
    return new Map(asked.map((operation, index) => [nameOf(operation), answers[index]?.status]))
  }
  const all = (asked: readonly Operation[], status: number) => new Map(asked.map((operation) => [nameOf(operation), status]))

  test('rejects a service key on calendar endpoints', async () => {
    const calendar = ofWorkspaces().filter(({ path, body }) => path.includes('/calendar') && body === null)
    expect(calendar.length).toBeGreaterThan(10)
    expect(await statuses(calendar, machine)).toEqual(all(calendar, 401))
    const moved = await machine('PATCH', '/api/v1/calendar/scheduled_bots/bot_x', { scheduled_join_time: '2099-01-01T00:00:00Z' })
    expect(moved.status).toBe(401)
    expect((await machine('GET', '/api/v1/bots')).status).toBe(200)
  })

  test('rejects a revoked key at once', async () => {
    const { body } = await service.operator('GET', '/admin/v1/workspaces')
    const { workspace_id } = body.workspaces[0]
    const { body: made } = await service.operator('POST', `/admin/v1/workspaces/${workspace_id}/keys`, { name: 'short-lived' })
    const client = clientOf(service.url, made.api_key)
    expect((await client('GET', '/api/v1/bots')).status).toBe(200)
    expect((await service.operator('DELETE', `/admin/v1/keys/${made.key_id}`)).status).toBe(200)
    expect((await client('GET', '/api/v1/bots')).status).toBe(403)
  })

  test('rejects the operator’s token in the API, and API keys in the operator API', async () => {
    const admin = operations.filter(({ opensWith }) => opensWith === 'operatorToken')
    expect(admin.length).toBeGreaterThan(3)
    expect(await statuses(ofWorkspaces(), clientOf(service.url, ADMIN_TOKEN))).toEqual(all(ofWorkspaces(), 403))
    expect(await statuses(admin, clientOf(service.url, API_KEY))).toEqual(all(admin, 403))
    for (const asked of [admin, ofWorkspaces()]) expect(await statuses(asked, clientOf(service.url, null))).toEqual(all(asked, 401))
  })
})
