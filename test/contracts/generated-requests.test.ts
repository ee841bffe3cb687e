// Thousands of generated requests. Every answer must match the OpenAPI document, and only valid requests may create a bot.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CalendarService, startCalendarService } from '../helpers/calendars/calendar.ts'
import { secretsOf } from '../helpers/meetings/google-login.ts'
import { fieldsIn, violationsOf, type WireAnswer } from '../helpers/requests/answer-rules.ts'
import { OWN_LOGIN_DOMAIN } from '../helpers/requests/create-bot-bodies.ts'
import { FOREIGN_LOGIN_DOMAIN } from '../helpers/requests/create-bot-breakages.ts'
import { type GeneratedRequest, isCreateBot, mutatedRequests, validRequests } from '../helpers/requests/generated-requests.ts'
import { type Operation, operationAt, operationsOf, readDescription } from '../helpers/requests/openapi.ts'
import { openRequestSender, type RequestSender } from '../helpers/requests/request-sender.ts'
import { wildRequests } from '../helpers/requests/wild-requests.ts'
import { scaled } from '../helpers/scale.ts'

/** A seed reproduces the requests, except ids and times. */
const SEED = 20_261_115
const COUNT = scaled({ all: 20_000, gate: 4_000 })
const SHARES = { valid: 0.4 * COUNT, mutated: 0.4 * COUNT, wild: 0.2 * COUNT }
const CONCURRENCY = 16
const ROUND = 1_000
const MOST_SHOWN = 40

let service: CalendarService
let sender: RequestSender
let operations: readonly Operation[]

beforeAll(async () => {
  service = await startCalendarService()
  operations = operationsOf(await readDescription(service.api))
  sender = openRequestSender(service.url, CONCURRENCY)
  await prepare()
})

afterAll(async () => {
  await sender.close()
  await service.stop()
})

/** Logins, bots of both workspaces, and bots in a meeting. */
async function prepare(): Promise<void> {
  const stranger = await service.stranger()
  await stranger('POST', '/api/v1/google-login-domains', { sso_workspace_domain: FOREIGN_LOGIN_DOMAIN })
  await service.api('POST', '/api/v1/google-login-domains', { sso_workspace_domain: OWN_LOGIN_DOMAIN })
  const login = { domain: OWN_LOGIN_DOMAIN, email: 'bot@own-logins.example', ...secretsOf() }
  await service.api('POST', '/api/v1/google-logins', login)

  const later = { meeting_link: 'https://meet.google.com/abc-defg-hij', join_at: new Date(Date.now() + 86_400_000).toISOString() }
  for (const client of [service.api, service.api, service.api, stranger]) {
    const { body } = await client('POST', '/api/v1/bots/create_bot', later)
    sender.learn('bot_id', body.bot_id)
    sender.learn('transcript_id', body.transcript_id)
  }
  // No driver runs here, so the status is set directly, to test commands in a meeting.
  await service.db.updateTable('bots').set({ status: 'InMeeting', launch_at: null }).execute()
}

class Tally {
  readonly kinds = new Map<string, number>()
  readonly statuses = new Map<number, number>()
  /** Operations of a `kind`, by method and path. */
  readonly reached = new Set<string>()
  readonly made = new Set<unknown>()
  /** Reports one request per problem. */
  readonly problems = new Map<string, { times: number; readonly first: unknown }>()

  add(request: GeneratedRequest, answer: WireAnswer): void {
    this.kinds.set(request.kind, (this.kinds.get(request.kind) ?? 0) + 1)
    this.statuses.set(answer.status, (this.statuses.get(answer.status) ?? 0) + 1)
    const place = operationAt(operations, request.method, request.target)
    if (typeof place === 'string') return
    this.reached.add(`${request.kind} ${place.method} ${place.path}`)
    if (isCreateBot(place) && answer.status === 201) this.made.add(fieldsIn(answer).bot_id)
  }

  blame(request: GeneratedRequest, answer: WireAnswer | null, problems: readonly string[]): void {
    const first = {
      ...request,
      target: shortened(request.target),
      body: shortened(request.body ?? ''),
      answer: shortened(answer?.text ?? ''),
    }
    for (const problem of problems) {
      const seen = this.problems.get(problem)
      if (seen) seen.times += 1
      else this.problems.set(problem, { times: 1, first })
    }
  }
}

function shortened(text: string): string {
  return text.length > 500 ? `${text.slice(0, 500)}… (${text.length} characters)` : text
}

async function ask(tally: Tally, request: GeneratedRequest): Promise<WireAnswer | null> {
  try {
    const { sent, answer } = await sender.send(request)
    tally.add(sent, answer)
    tally.blame(sent, answer, violationsOf(operations, sent, answer))
    return answer
  } catch (error) {
    tally.blame(request, null, [`no answer: ${error}`])
    return null
  }
}

/** Repeats a request whose keys are in use now. */
function repetition({ again, body, ...request }: GeneratedRequest): GeneratedRequest | null {
  if (!again) return null
  const asked = JSON.parse(body ?? '')
  const other = { meeting_link: 'https://meet.google.com/zzz-zzzz-zzz', deduplication_key: asked.deduplication_key }
  const expected = { replay: [507], duplicate: [200], conflict: [409] }[again]
  // An Idempotency-Key would win over the deduplication_key.
  const headers = again === 'replay' ? request.headers : { 'content-type': 'application/json' }
  return { ...request, headers, body: JSON.stringify(again === 'conflict' ? other : asked), expected, again: null }
}

async function askWithRepetition(tally: Tally, request: GeneratedRequest): Promise<void> {
  const first = await ask(tally, request)
  const repeated = repetition(request)
  if (!first || !repeated) return
  const second = await ask(tally, repeated)
  if (!second) return
  const { bot_id, existing_bot_id } = fieldsIn(second)
  if ((bot_id ?? existing_bot_id) !== fieldsIn(first).bot_id) tally.blame(repeated, second, ['it is not about the first bot'])
}

async function inParallel(requests: readonly GeneratedRequest[], send: (request: GeneratedRequest) => Promise<void>): Promise<void> {
  const left = requests.values()
  const worker = async () => {
    for (const request of left) await send(request)
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
}

async function countBots(): Promise<number> {
  const { count } = await service.db
    .selectFrom('bots')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Mixes all three kinds, so that each meets the state that the others left. */
function generate(): GeneratedRequest[] {
  const arbitraries = {
    valid: validRequests(operations, service.url),
    mutated: mutatedRequests(operations, service.url),
    wild: wildRequests(operations),
  }
  const kinds = Object.keys(SHARES) as (keyof typeof SHARES)[]
  const all = kinds.flatMap((kind) => {
    const numRuns = SHARES[kind]
    return fc.sample(arbitraries[kind], { seed: SEED, numRuns }).map((request, index) => ({ request, position: (index + 0.5) / numRuns }))
  })
  return all.sort((a, b) => a.position - b.position).map(({ request }) => request)
}

test('answers generated requests as documented, and creates bots only for valid ones', { timeout: 240_000 }, async () => {
  const requests = generate()
  expect(requests.length).toBe(COUNT)
  const tally = new Tally()
  const started = performance.now()
  const before = await countBots()
  for (let from = 0; from < requests.length; from += ROUND) {
    await inParallel(requests.slice(from, from + ROUND), (request) => askWithRepetition(tally, request))
    expect(await countBots(), `bots after ${from + ROUND} requests`).toBe(before + tally.made.size)
  }
  const seconds = Math.round((performance.now() - started) / 1000)
  const statuses = [...tally.statuses].sort(([a], [b]) => a - b)
  console.log(`seed ${SEED}, ${seconds} s, ${tally.made.size} bots; kinds ${[...tally.kinds].join(' ')}; statuses ${statuses.join(' ')}`)

  expect(Object.fromEntries([...tally.problems].slice(0, MOST_SHOWN))).toEqual({})
  for (const kind of Object.keys(SHARES)) expect(tally.kinds.get(kind), kind).toBeGreaterThan(COUNT / 20)
  for (const status of [200, 201, 202, 400, 401, 403, 404, 409, 410, 507])
    expect(tally.statuses.get(status), `${status}`).toBeGreaterThan(COUNT / 1_000)
  const missed = operations.filter(({ method, path }) => !tally.reached.has(`valid ${method} ${path}`))
  expect(missed.map(({ method, path }) => `${method} ${path}`)).toEqual([])
})
