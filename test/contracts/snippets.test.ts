// Every snippet of README and docs: shell runs against a real service, JSON matches its schema, settings are valid.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { readConfig, SETTINGS } from '../../src/service/config.ts'
import { folderForFile } from '../helpers/for-file.ts'
import {
  type Description,
  misfit,
  type Operation,
  operationAt,
  operationsOf,
  readDescription,
  type Schema,
} from '../helpers/requests/openapi.ts'
import { documentationFiles, type Snippet, snippetsOf } from '../helpers/requests/snippets.ts'
import { serviceForFile } from '../helpers/service/for-file.ts'
import { API_KEY } from '../helpers/service/service.ts'

const FILES = await documentationFiles()
const SNIPPETS = (await Promise.all(FILES.map(snippetsOf))).flat()

/** First lines of blocks that other tests run: installation and webhook receivers. */
const RUN_ELSEWHERE: readonly (readonly [RegExp, string])[] = [
  [/^git clone /, 'test/processes/start-and-stop.test.ts starts the service by `npm start`'],
  [/^import \{ createHmac/, 'test/processes/webhook-signatures.test.ts, on Node 20 and Node 24'],
  [/"Request entry"/, 'src/bot/drivers/google-meet/page-rules.test.ts'],
  [/^npx emissary (backup|restore|move|export) /, 'test/processes/backup/'],
  [/^npx emissary recordings retry /, 'test/processes/faults/media-given-up.test.ts'],
  [/^npm run simulate /, 'test/processes/simulation/simulation.test.ts'],
  [/^import hashlib, hmac/, 'test/processes/webhook-signatures.test.ts'],
]

const isRunElsewhere = ({ code }: Snippet) => RUN_ELSEWHERE.some(([start]) => start.test(code))
/** Program output and drawings. */
const isText = ({ file, language }: Snippet) => language === 'text' || (language === '' && file === 'README.md')
const isMarked = ({ note }: Snippet) => note.startsWith('not run: ')
const toRun = (language: string) =>
  SNIPPETS.filter((it) => it.language === language && !isMarked(it) && !isRunElsewhere(it)).map((it) => ({
    ...it,
    name: `${it.file}:${it.line}`,
  }))

const EMISSARY = fileURLToPath(new URL('../../bin/emissary.mjs', import.meta.url))

const folder = folderForFile('emissary-snippets-')
const service = serviceForFile()
let description: Description
let operations: readonly Operation[]
let bot: string

beforeAll(async () => {
  description = await readDescription(service.api)
  operations = operationsOf(description)
  // curl fails on a status of 400 and above, and prints each answer on its own line.
  await writeFile(join(folder, '.curlrc'), 'silent\nshow-error\nfail-with-body\nwrite-out = "\\n"\n')
  bot = (await service.api('POST', '/api/v1/bots/create_bot', { meeting_link: 'https://meet.google.com/abc-defg-hij' })).body.bot_id
})

test('tests every code block, unless it is text or says why it is not run', () => {
  const unknown = SNIPPETS.filter(
    (it) => !['sh', 'json', 'http', 'env'].includes(it.language) && !isText(it) && !isMarked(it) && !isRunElsewhere(it),
  )
  expect(unknown.map(({ file, line, language }) => `${file}:${line} ${language}`)).toEqual([])
  expect(RUN_ELSEWHERE.filter(([start]) => !SNIPPETS.some(({ code }) => start.test(code)))).toEqual([])
  // Raise this only for blocks that need a live platform or a tool that no other block needs.
  expect(SNIPPETS.filter(isMarked).map(({ file }) => file)).toEqual([
    'docs/accounts.md',
    'docs/containers.md',
    'docs/containers.md',
    'docs/containers.md',
    'docs/containers.md',
    'docs/first-live-meeting.md',
    'docs/live-captions.md',
    'docs/observability.md',
    'docs/observability.md',
    'docs/quickstart.md',
    'docs/record-a-teams-meeting.md',
    'docs/recordings.md',
    'docs/run-in-public.md',
    'docs/run-in-public.md',
    'docs/self-hosting.md',
    'docs/several-machines.md',
    'docs/several-machines.md',
    'docs/several-machines.md',
    'docs/speech.md',
    'docs/speech.md',
    'docs/voice-agent.md',
    'docs/webhooks.md',
  ])
})

test.each(toRun('sh'))('runs the shell block of $name', async ({ code }) => {
  const { status, output } = await inShell(code)
  const expected = /^# (\{.*\})$/m.exec(code)?.[1]
  if (expected === undefined) {
    expect(status, output).toBe(0)
    return
  }
  const answer = JSON.parse(
    output
      .trim()
      .split('\n')
      .find((line) => line.startsWith('{')) ?? '{}',
  )
  expect(answer).toEqual(likeness(JSON.parse(expected)))
})

/** Placeholders accept any text. */
function likeness(answer: Readonly<Record<string, string>>): Record<string, unknown> {
  const isOpen = (value: string, name: string) => value.includes('…') || /_id$/.test(name)
  return Object.fromEntries(Object.entries(answer).map(([name, value]) => [name, isOpen(value, name) ? expect.any(String) : value]))
}

async function inShell(code: string): Promise<{ status: number | null; output: string }> {
  const script = code
    .replaceAll(/https:\/\/bots\.example\.com|http:\/\/127\.0\.0\.1:4000/g, service.url)
    .replaceAll('em_…', API_KEY)
    .replaceAll('<bot_id>', bot)
    .replaceAll('npx emissary', `node ${EMISSARY}`)
  const env = { PATH: process.env.PATH, CURL_HOME: folder, HOME: folder, KEY: API_KEY, URL: service.url, API: `${service.url}/api/v1` }
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk))
  const [status] = (await once(child, 'close')) as [number | null]
  return { status, output }
}

describe('JSON', () => {
  test.each(toRun('json'))('matches the schema that its comment names, in $name', ({ code, note }) => {
    const [, name = '', part] = /^json: (\w+)(, in part)?$/.exec(note) ?? []
    const schema = description.components.schemas[name]
    if (!schema) throw new Error(`The comment before it must name a published schema: <!-- json: Name -->`)
    expect(misfit(part ? partOf(schema) : schema, JSON.parse(code))).toBeNull()
  })
})

/** The schema without required fields and without unknown fields, at every level. */
function partOf(schema: Schema): Schema {
  const { required: _all, ...rest } = schema
  const properties = schema.properties && Object.fromEntries(Object.entries(schema.properties).map(([name, it]) => [name, partOf(it)]))
  return { ...rest, ...(properties && { properties, additionalProperties: false }) }
}

test.each(toRun('http').flatMap(requestsIn))('accepts the request of $name: $method $target', async ({ method, target, body }) => {
  const operation = operationAt(operations, method, target)
  if (typeof operation === 'string') throw new Error('There is no such operation')
  if (body !== undefined) expect(misfit(operation.body ?? {}, body)).toBeNull()
  // No calendar provider answers here, so its failure shows that the request was valid.
  const { status } = await service.api(method, target, body)
  expect([200, 201, 404, 500]).toContain(status)
  expect([...operation.answers.keys()]).toContain(status)
})

function requestsIn({ name, code }: Snippet & { readonly name: string }) {
  return code.split('\n').map((line) => {
    const [, method = '', target = '', body] = /^([A-Z]+) +(\S+)(?: +(\{.*\}))?$/.exec(line) ?? []
    return { name, method, target, body: body === undefined ? undefined : JSON.parse(body) }
  })
}

test.each(toRun('env'))('accepts the settings of $name', ({ code }) => {
  const settings = Object.fromEntries(code.split('\n').map((line) => line.replace(/<.*>/, 'x'.repeat(32)).split(/=(.*)/).slice(0, 2)))
  expect(Object.keys(settings).filter((name) => !Object.hasOwn(SETTINGS, name))).toEqual([])
  expect(() => readConfig(settings)).not.toThrow()
})
