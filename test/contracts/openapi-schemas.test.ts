// Schemas of the OpenAPI document: named, with aliases, and as strict as the service.
import { runInNewContext } from 'node:vm'
import { beforeAll, describe, expect, test } from 'vitest'
import { FIELDS, PROVIDERS } from '../../src/service/api/aliases.ts'
import {
  type Description,
  misfit,
  type Operation,
  operationsOf,
  readDescription,
  readDocument,
  type Schema,
} from '../helpers/requests/openapi.ts'
import { serviceForFile } from '../helpers/service/for-file.ts'

/** Teams has the widest range of every timeout. */
const TEAMS = 'https://teams.microsoft.com/meet/2345678901234?p=abcDEF'

const service = serviceForFile()
let document: Description
let resolved: Description

beforeAll(async () => {
  document = await readDocument(service.api)
  resolved = await readDescription(service.api)
})

const schemaOf = (name: string): Schema => {
  const schema = resolved.components.schemas[name]
  if (!schema) throw new Error(`There is no schema ${name}`)
  return schema
}

describe('names', () => {
  test('describes every JSON body by a named schema or a list of one', () => {
    const unnamed = operationsOf(document).flatMap(({ operationId, body, answers }) =>
      [body, ...answers.values()].flatMap((schema) =>
        schema === null || isNamed(schema) ? [] : [`${operationId}: ${JSON.stringify(schema)}`],
      ),
    )
    expect(unnamed).toEqual([])
  })

  test('gives no schema the name of a global object of JavaScript', () => {
    const globals: readonly string[] = runInNewContext('Object.getOwnPropertyNames(globalThis)')
    expect(Object.keys(document.components.schemas).filter((name) => globals.includes(name))).toEqual([])
  })

  test('has no schema with an inline object of more than one field', () => {
    const inlined = Object.entries(document.components.schemas).flatMap(([name, schema]) => inlinedIn(schema, name, true))
    expect(inlined).toEqual([])
  })
})

function isNamed(schema: Schema): boolean {
  if ('$ref' in schema) return true
  if (schema.type === undefined && schema.anyOf === undefined) return true
  return schema.anyOf?.every(isNamed) ?? (schema.type === 'array' && isNamed(schema.items ?? {}))
}

/** Paths of inline objects. */
function inlinedIn(value: unknown, path: string, isRoot = false): string[] {
  if (typeof value !== 'object' || value === null) return []
  const { properties } = value as Schema
  const own = !isRoot && typeof properties === 'object' && Object.keys(properties).length > 1 ? [path] : []
  const inside = Object.entries(value).filter(([name]) => name !== 'examples' && name !== 'example')
  return [...own, ...inside.flatMap(([name, it]) => inlinedIn(it, `${path}.${name}`))]
}

describe('aliases', () => {
  test('lists aliases of fields beside their field', () => {
    const shown = Object.entries(document.components.schemas).flatMap(([name, { properties = {} }]) =>
      Object.entries(FIELDS).flatMap(([alias, field]) => (Object.hasOwn(properties, field) ? [{ name, alias, field, properties }] : [])),
    )
    for (const { alias, field, properties } of shown)
      expect(properties[alias], alias).toMatchObject({ 'x-alias-of': field, description: expect.stringContaining(field) })
    expect(shown.map(({ name, alias }) => `${name}.${alias}`)).toEqual(
      expect.arrayContaining([
        'CreateBotRequest.zoom',
        'CreateBotRequest.google_meet',
        'BotConfig.teams',
        'GoogleMeetOptions.google_login_domain',
      ]),
    )
  })

  test('lists aliases of providers as provider names', () => {
    expect(schemaOf('TranscriptionProviderName').enum).toEqual(expect.arrayContaining([...PROVIDERS.keys()]))
  })

  test('marks aliases of paths as deprecated with their operation, and answers like it', async () => {
    const operations = operationsOf(resolved)
    const aliases = operations.filter(({ published }) => published['x-alias-of'] !== undefined)
    expect(aliases.length).toBeGreaterThan(20)
    for (const alias of aliases) {
      const first = operations.find(({ operationId }) => operationId === alias.published['x-alias-of'])
      expect(alias.published.deprecated, alias.path).toBe(true)
      expect([...alias.answers.keys()], alias.path).toEqual([...(first?.answers.keys() ?? [])])
      expect(await statusOf(alias), alias.path).toBe(await statusOf(first))
    }
  })

  test('names operations of alias paths by operation, last word and missing prefix', () => {
    const aliases = operationsOf(document).filter(({ published }) => published['x-alias-of'] !== undefined)
    const misnamed = aliases.filter(({ operationId, path, published }) => {
      const rest = operationId.replace(published['x-alias-of'] ?? '', '')
      const isShort = /^(At[A-Z][a-z]+([A-Z][a-z]+)?)?(WithoutPrefix)?$/.test(rest)
      return !isShort || rest.endsWith('WithoutPrefix') === path.startsWith('/api/v1')
    })
    expect(misnamed.map(({ operationId }) => operationId)).toEqual([])
  })

  test('describes every served path', async () => {
    const paths = operationsOf(document).filter(({ path }) => path.startsWith('/api/v1/calendar'))
    for (const { path, method } of paths) expect(document.paths[path.slice('/api/v1'.length)], path).toHaveProperty(method.toLowerCase())
  })
})

async function statusOf(operation: Operation | undefined): Promise<number> {
  if (!operation) throw new Error('An alias names no operation')
  const { method, path } = operation
  const { status } = await service.api(method, path.replaceAll(/\{[^}]+\}/g, 'unknown'), operation.body ? {} : undefined)
  return status
}

test('lists every status of the specification in BotState', () => {
  const listed = schemaOf('BotState').anyOf?.flatMap((it) => it.enum ?? [])
  expect(listed?.toSorted()).toEqual(
    [
      ...['Scheduled', 'Joining', 'InWaitingRoom', 'InMeeting', 'Recording', 'RecordingPermissionAllowed', 'RecordingPermissionDenied'],
      ...['Leaving', 'Stopped', 'Kicked', 'NotAllowed', 'Denied', 'Failed', 'Error', 'FAILED', 'ERROR'],
      ...['MediaProcessing', 'Done', 'MediaExpired', 'Cancelled'],
    ].toSorted(),
  )
})

test('describes the 507 answer of create_bot as a success with the first bot', () => {
  const answer = document.paths['/api/v1/bots/create_bot']?.post?.responses[507]
  expect(answer?.description).toMatch(/^Success: /)
  expect(answer?.content?.['application/json']?.schema).toEqual({ $ref: '#/components/schemas/ReplayedBot' })
  expect(schemaOf('ReplayedBot')).toMatchObject({
    description: expect.stringMatching(/first request/),
    required: ['bot_id', 'transcript_id', 'meeting_url', 'status'],
  })
})

describe('create_bot', () => {
  const create = (body: object) => service.api('POST', '/api/v1/bots/create_bot', { meeting_link: TEAMS, ...body })

  test('accepts the limits of each published timeout range, and nothing beyond them', async () => {
    const waits = Object.entries(schemaOf('AutomaticLeave').properties ?? {}).filter(([, { type }]) => [type].flat().includes('integer'))
    expect(waits.length).toBe(6)
    for (const [field, { minimum = Number.NaN, maximum = Number.NaN }] of waits) {
      const statuses = [minimum - 1, minimum, maximum, maximum + 1].map(
        async (seconds) => (await create({ automatic_leave: { [field]: seconds } })).status,
      )
      expect(await Promise.all(statuses), field).toEqual([400, 201, 201, 400])
    }
  })

  test('accepts the limits of the published ranges of bot detection', async () => {
    const { matches: _names, ...ranges } = schemaOf('BotDetection').properties ?? {}
    for (const [field, { minimum = Number.NaN, maximum = Number.NaN }] of Object.entries(ranges)) {
      const statuses = [minimum - 1, minimum, maximum, maximum + 1].map(async (seconds) => {
        const using_participant_names = { matches: ['bot'], [field]: seconds }
        return (await create({ automatic_leave: { bot_detection: { using_participant_names } } })).status
      })
      expect(await Promise.all(statuses), field).toEqual([400, 201, 201, 400])
    }
  })

  test('accepts null for exactly the fields that the document marks as nullable', async () => {
    const schema = schemaOf('CreateBotRequest')
    const fields = Object.keys(schema.properties ?? {}).filter((name) => !schema.required?.includes(name))
    const empty = Object.fromEntries(fields.map((name) => [name, null]))
    expect(misfit(schema, { meeting_link: TEAMS, ...empty })).toBeNull()
    expect((await create(empty)).status).toBe(201)
    expect(misfit(schema, { meeting_link: null })).not.toBeNull()
    expect((await create({ meeting_link: null })).status).toBe(400)
  })

  test('accepts every published provider, and no other', async () => {
    const known = schemaOf('TranscriptionProviderName').enum ?? []
    for (const provider of [...known, 'unknown_vendor']) {
      const { body } = await create({ recording_config: { transcript: { provider } } })
      const isUnknown = /must be one of/.test(body.message ?? '')
      expect(isUnknown, `${provider}: ${body.message}`).toBe(provider === 'unknown_vendor')
    }
  })

  test('accepts every published realtime event', async () => {
    const events = schemaOf('RealtimeEndpoint').properties?.events?.items?.enum ?? []
    const endpoint = { type: 'websocket', url: 'wss://hooks.example/live', events }
    expect((await create({ recording_config: { realtime_endpoints: [endpoint] } })).status).toBe(201)
  })
})

test('accepts a provider for calendars in every published form', async () => {
  for (const transcription of ['native', { meetstream: {} }, { provider: 'native' }, { provider: { native: {} } }]) {
    const default_bot_config = { transcription }
    expect(misfit(schemaOf('BotConfig'), default_bot_config)).toBeNull()
    expect((await service.api('POST', '/api/v1/calendar/auto-schedule/enable', { default_bot_config })).status).toBe(200)
  }
  expect(misfit(schemaOf('BotConfig'), { transcription: { unknown_vendor: {} } })).not.toBeNull()
})

test('accepts every published event for a webhook endpoint', async () => {
  const events = schemaOf('CreateWebhookEndpointRequest').properties?.events?.items?.enum ?? []
  expect(events).toContain('*')
  expect((await service.api('POST', '/api/v1/webhook_endpoints', { url: 'https://hooks.example/x', events })).status).toBe(201)
})

test('accepts every published platform in the list of bots, and custom_attr as an object', async () => {
  const { parameters = [] } = resolved.paths['/api/v1/bots']?.get ?? {}
  const platforms = parameters.find(({ name }) => name === 'platform')?.schema.enum ?? []
  expect(platforms).toContain('GMeet')
  for (const platform of platforms) expect((await service.api('GET', `/api/v1/bots?platform=${platform}`)).status).toBe(200)
  expect(parameters.find(({ name }) => name === 'custom_attr')).toMatchObject({ style: 'deepObject', explode: true })
})

test('answers other than JSON have their media types', () => {
  const typesOf = (path: string) => Object.keys(resolved.paths[path]?.get?.responses[200]?.content ?? {})
  expect(typesOf('/api/v1/transcript/{transcript_id}/get_transcript')).toEqual(
    expect.arrayContaining(['application/json', 'text/vtt', 'application/x-subrip', 'text/plain']),
  )
  expect(typesOf('/media/{token}/{file_name}')).toEqual(expect.arrayContaining(['video/mp4', 'audio/mp4', 'image/jpeg']))
})
