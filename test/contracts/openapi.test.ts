// The OpenAPI document: complete, well-formed, and readable on the docs page.

import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import {
  type Description,
  type Media,
  misfit,
  type Operation,
  operationsOf,
  readDescription,
  readDocument,
} from '../helpers/requests/openapi.ts'
import { serviceForFile } from '../helpers/service/for-file.ts'
import { clientOf } from '../helpers/service/service.ts'

const service = serviceForFile()
let document: Description
let description: Description
let operations: readonly Operation[]

beforeAll(async () => {
  // The document needs no key.
  document = await readDocument(clientOf(service.url, null))
  description = await readDescription(clientOf(service.url, null))
  operations = operationsOf(description)
})

/** Names of the operations for which `holds` is false. */
const except = (holds: (operation: Operation) => unknown) =>
  operations.filter((operation) => !holds(operation)).map(({ method, path }) => `${method} ${path}`)

/** Operations of the specification's tables, and those that this project added. */
const SPECIFIED = [
  'POST /api/v1/bots/create_bot',
  'GET /api/v1/bots/{bot_id}/status',
  'GET /api/v1/bots/{bot_id}/detail',
  'GET /api/v1/bots/{bot_id}/summary',
  'GET /api/v1/bots/{bot_id}/get_audio',
  'GET /api/v1/bots/{bot_id}/get_video',
  'GET /api/v1/bots/{bot_id}/get_recording_streams',
  'GET /api/v1/bots/{bot_id}/get_audio_streams',
  'GET /api/v1/bots/{bot_id}/get_speaker_timeline',
  'GET /api/v1/bots/{bot_id}/get_chats',
  'GET /api/v1/bots/{bot_id}/get_screenshots',
  'GET /api/v1/bots/{bot_id}/get_participants',
  'GET /api/v1/bots/{bot_id}/remove_bot',
  'DELETE /api/v1/bots/{bot_id}/delete',
  'POST /api/v1/bots/{bot_id}/pause_recording',
  'POST /api/v1/bots/{bot_id}/resume_recording',
  'POST /api/v1/bots/{bot_id}/send_message',
  'POST /api/v1/bots/{bot_id}/send_image',
  'POST /api/v1/bots/{bot_id}/speak',
  'POST /api/v1/bots/{bot_id}/take_screenshot',
  'GET /api/v1/bots',
  'GET /api/v1/transcript/{transcript_id}/get_transcript',
  'POST /api/v1/bots/{bot_id}/transcribe',
  'GET /api/v1/bots/{bot_id}/transcriptions',
  'GET /api/v1/calendar/scheduled',
  'PATCH /api/v1/calendar/scheduled_bots/{bot_id}',
  'DELETE /api/v1/calendar/scheduled_bots/{bot_id}',
  'POST /api/v1/webhook_endpoints',
  'GET /api/v1/webhook_endpoints',
  'GET /api/v1/webhook_endpoints/{endpoint_id}',
  'PATCH /api/v1/webhook_endpoints/{endpoint_id}',
  'DELETE /api/v1/webhook_endpoints/{endpoint_id}',
  'POST /api/v1/webhook_endpoints/{endpoint_id}/rotate_secret',
  'POST /api/v1/webhook_endpoints/{endpoint_id}/test',
  'POST /api/v1/webhook_endpoints/{endpoint_id}/replay',
  'GET /api/v1/webhook_deliveries',
  'POST /api/v1/webhook_deliveries/{delivery_id}/resend',
  'GET /api/v1/events',
  'POST /api/v1/rooms',
  'GET /api/v1/zoom/zak-token',
  'GET /api/v1/zoom/obf-token',
]

describe('the document', () => {
  test('is OpenAPI 3.1 with title, version and security schemes', () => {
    expect(description.openapi).toMatch(/^3\.1\.\d+$/)
    expect(description.info).toMatchObject({ title: expect.stringMatching(/\S/), version: expect.stringMatching(/^\d+\.\d+\.\d+/) })
    const schemes = [description.security, ...operations.map(({ published }) => published.security ?? [])].flat().flatMap(Object.keys)
    for (const scheme of schemes) expect(description.components.securitySchemes).toHaveProperty(scheme)
  })

  test('is the same in JSON and YAML', async () => {
    const { status, body, headers } = await clientOf(service.url, null)('GET', '/api/v1/openapi.yaml')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toContain('yaml')
    expect(parse(body)).toEqual(document)
  })

  test('contains every operation of the specification', () => {
    const published = operations.map(({ method, path }) => `${method} ${path}`)
    expect(SPECIFIED.filter((operation) => !published.includes(operation))).toEqual([])
  })
})

describe('every operation', () => {
  test('has a unique name, a summary and a declared tag', () => {
    expect(except(({ published }) => published.operationId && /\S/.test(published.summary ?? ''))).toEqual([])
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
    const declared = description.tags.map(({ name }) => name)
    expect(except(({ published: { tags = [] } }) => tags.length > 0 && tags.every((tag) => declared.includes(tag)))).toEqual([])
  })

  test('describes its answers with their bodies', () => {
    expect(except(({ answers }) => answers.size > 0)).toEqual([])
    expect(except(({ published }) => Object.values(published.responses).every((it) => isSaid(it.description)))).toEqual([])
    expect(except(({ answers }) => [...answers].every(([status, schema]) => schema !== null && status >= 200 && status < 600))).toEqual([])
  })

  test('documents its errors', () => {
    const documents = (...statuses: readonly number[]) => {
      return ({ answers }: Operation) => statuses.every((status) => answers.has(status))
    }
    expect(except((it) => it.opensWith !== 'apiKey' || documents(401, 403, 429, 500)(it))).toEqual([])
    expect(except((it) => it.opensWith !== 'operatorToken' || documents(401, 403, 429, 500)(it))).toEqual([])
    expect(except((it) => (it.body === null && it.query.length === 0) || documents(400)(it))).toEqual([])
    expect(except((it) => it.pathParameters.length === 0 || documents(404)(it))).toEqual([])
  })

  test('declares exactly the parameters of its path', () => {
    for (const { path, pathParameters, published } of operations) {
      const declared = (published.parameters ?? []).filter((parameter) => parameter.in === 'path')
      expect(declared.map(({ name }) => name).sort(), path).toEqual([...pathParameters].sort())
      for (const parameter of declared) expect(parameter, path).toMatchObject({ required: true, schema: { type: 'string' } })
    }
  })

  test('has a valid example for each JSON body', () => {
    const shown = [...operations.map(({ published }) => published), ...Object.values(description.webhooks).map(({ post }) => post)].flatMap(
      ({ operationId, requestBody, responses }) =>
        [requestBody, ...Object.values(responses)].flatMap((it) => {
          const media = it?.content?.['application/json']
          return media ? [{ operationId, problems: problemsOf(media) }] : []
        }),
    )
    expect(shown.length).toBeGreaterThan(operations.length)
    expect(shown.filter(({ problems }) => problems.length > 0)).toEqual([])
  })

  test('refers to ErrorAnswer for every error, and documents Retry-After', () => {
    const answers = operationsOf(document).flatMap(({ operationId, published }) =>
      Object.entries(published.responses).map(([status, given]) => ({
        name: `${operationId} ${status}`,
        status: Number(status),
        ...answerOf(given),
      })),
    )
    for (const { name, status, content, headers = {} } of answers) {
      const isError = status >= 400 && status !== 507
      if (isError) expect(content?.['application/json']?.schema, name).toEqual({ $ref: '#/components/schemas/ErrorAnswer' })
      expect(Object.hasOwn(headers, 'Retry-After'), name).toBe(status === 429 || status === 503)
    }
  })

  test('has a camel case name that begins with a verb', () => {
    const verbs =
      /^(add|cancel|connect|create|delete|disable|disconnect|enable|get|list|pause|read|remove|replay|resend|reschedule|resume|revoke|rotate|schedule|send|set|speak|take|test|toggle|transcribe|unschedule|update)([A-Z][A-Za-z0-9]*)?$/
    expect(except(({ operationId }) => verbs.test(operationId))).toEqual([])
  })
})

const isSaid = (description = '') => /\S/.test(description) && description !== 'Default Response'

/** Validation errors of a body's examples. */
function problemsOf({ schema, example, examples }: Media): string[] {
  const values = example === undefined ? Object.values(examples ?? {}).map(({ value }) => value) : [example]
  return values.length === 0 ? ['no example'] : values.flatMap((value) => misfit(schema, value) ?? [])
}

/** Resolves a reference to a shared answer. */
function answerOf(given: Operation['published']['responses'][string]): Operation['published']['responses'][string] {
  const name = '$ref' in given ? String(given.$ref).split('/').at(-1) : undefined
  return name === undefined ? given : (document.components.responses[name] ?? {})
}

test('has examples of request and answer for create_bot', () => {
  const { requestBody, responses } = description.paths['/api/v1/bots/create_bot']?.post ?? { responses: {} }
  expect(requestBody?.content['application/json']?.example).toHaveProperty('meeting_link')
  for (const status of [200, 201, 507]) expect(responses[status]?.content?.['application/json']?.example).toHaveProperty('bot_id')
  expect(responses[400]?.content?.['application/json']?.example).toHaveProperty('message')
  expect(responses[409]?.content?.['application/json']?.examples).toHaveProperty('login_busy.value.message')
})

describe('the docs page', () => {
  test('loads nothing from other servers', async () => {
    const response = await fetch(`${service.url}/docs`)
    const html = await response.text()
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toContain('text/html')

    const loaded = [...html.matchAll(/<(?:script|link|img|iframe)\b[^>]*?\s(?:src|href)\s*=\s*["']?([^"'\s>]+)/gi)].map(
      ([, url]) => url ?? '',
    )
    expect(loaded.length).toBeGreaterThan(0)
    // The inline script contains the document.
    const document = /"url":\s*"([^"]+)"/.exec(html)?.[1]
    for (const url of [...loaded, document ?? 'no document']) {
      const address = new URL(url, response.url)
      expect(address.origin, url).toBe(service.url)
      expect((await fetch(address)).status, url).toBe(200)
    }
    expect([...html.matchAll(/(?:@import|url\()\s*["']?\s*(?:https?:)?\/\//gi)]).toEqual([])
  })
})
