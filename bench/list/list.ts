// The time of a list with two custom_attr filters among a million bots, compared with no filters and no indexes.
import { Client } from 'undici'
import { loadNow } from '../harness/machine.ts'
import { atMost, none, type Report } from '../harness/report.ts'
import { type BenchServer, withServer } from '../harness/server.ts'
import { seededRandom, spreadOf } from '../harness/statistics.ts'
import { linkWithoutDriver, WITHOUT_BROWSERS } from '../harness/without-driver.ts'
import type { BenchOptions } from '../options.ts'
import { type Draw, KINDS, pathOf, plansOf, type Question, withoutIndexes } from './queries.ts'
import { BOTS, fillBots, type Tenant, WORKSPACES } from './rows.ts'

const SEED = 20_260
const QUESTIONS_PER_KIND = 75
const WARM_UP_PER_KIND = 15
/** A query continues to this many pages if there are as many. */
const MOST_PAGES = 3
const CONCURRENT = 8

/** One answer, and the problem with it. */
type Answered = { readonly kind: string; readonly page: number; readonly largest: boolean; readonly ms: number; readonly wrong: boolean }

export function list(options: BenchOptions): Promise<Report> {
  return withServer({ ...options, settings: WITHOUT_BROWSERS }, async (server) => {
    const before = loadNow()
    const startedAt = performance.now()
    await makePattern(server)
    console.error(`inserting ${BOTS} bots of ${WORKSPACES} workspaces`)
    const tenants = await fillBots(server)
    const filledInSeconds = (performance.now() - startedAt) / 1_000

    const random = seededRandom(SEED)
    const filtered = (count: number) => Object.entries(KINDS).flatMap(([kind, draw]) => questionsOf(kind, draw, { tenants, random, count }))
    const plain = questionsOf('no filter', () => [], { tenants, random, count: QUESTIONS_PER_KIND })
    await ask(server, filtered(WARM_UP_PER_KIND), 1)
    const alone = await ask(server, filtered(QUESTIONS_PER_KIND), 1)
    const unfiltered = await ask(server, plain, 1)
    const concurrent = await ask(server, filtered(QUESTIONS_PER_KIND), CONCURRENT)
    const scanMs = await slowestWay(server, filtered(1))
    if (options.plans) for (const question of filtered(1)) console.log(`${await plansOf(server.db, question)}\n`)

    const all = timesOf(alone)
    const bare = timesOf(unfiltered)
    return {
      figures: {
        'one at a time, ms': {
          'all filtered': all,
          ...byKind(alone),
          'following pages': timesOf(alone.filter(({ page }) => page > 1)),
          'largest workspace': timesOf(alone.filter(({ largest }) => largest)),
          'other workspaces': timesOf(alone.filter(({ largest }) => !largest)),
          'no filter': bare,
        },
        [`${CONCURRENT} at a time, ms`]: { 'all filtered': timesOf(concurrent), ...byKind(concurrent) },
        ratio: {
          'filtered / not filtered, p50': { value: all.p50 / bare.p50 },
          'filtered / not filtered, p95': { value: all.p95 / bare.p95 },
          'without indexes / filtered p50': { value: scanMs / all.p50 },
        },
        table: { bots: { rows: BOTS, 'seconds to make': filledInSeconds, 'ms without indexes': scanMs } },
        machine: { before, after: loadNow() },
      },
      budgets: [
        atMost('list p95, two filters, one at a time', all.p95, 20, ' ms'),
        none('wrong answers', [...alone, ...unfiltered, ...concurrent].filter(({ wrong }) => wrong).length),
      ],
    }
  })
}

/** The real bot of which the million are copies. */
async function makePattern({ url, apiKey }: BenchServer): Promise<void> {
  const answer = await fetch(`${url}/api/v1/bots/create_bot`, {
    method: 'POST',
    headers: { authorization: `Token ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      meeting_link: linkWithoutDriver(0),
      bot_name: 'Notes',
      join_at: new Date(Date.now() + 24 * 60 * 60_000).toISOString(),
      custom_attributes: { tag: 'tag-0', count: 0, customer: 'customer-0', enabled: true },
    }),
  })
  if (answer.status !== 201) throw new Error(`bench: create_bot answered ${answer.status}: ${await answer.text()}`)
}

type Drawing = { readonly tenants: readonly Tenant[]; readonly random: () => number; readonly count: number }

/** Every fourth query is of the largest workspace. */
function questionsOf(kind: string, draw: Draw, { tenants, random, count }: Drawing): Question[] {
  return Array.from({ length: count }, (_, index) => {
    const tenant = tenants[index % 4 === 0 ? 0 : Math.floor(random() * tenants.length)]
    if (!tenant) throw new Error('bench: there are no workspaces')
    return { kind, tenant, filters: draw(random), largest: tenant === tenants[0] }
  }).sort(() => random() - 0.5)
}

async function ask({ url }: BenchServer, questions: readonly Question[], concurrency: number): Promise<Answered[]> {
  const waiting = [...questions]
  const answered: Answered[] = []
  async function askOn(client: Client): Promise<void> {
    for (let question = waiting.pop(); question; question = waiting.pop()) answered.push(...(await pagesOf(client, question)))
    await client.close()
  }
  await Promise.all(Array.from({ length: concurrency }, () => askOn(new Client(url))))
  return answered
}

type Page = {
  readonly bots: readonly { readonly custom_attributes: Readonly<Record<string, unknown>> }[]
  readonly nextCursor: string | null
}

async function pagesOf(client: Client, question: Question): Promise<Answered[]> {
  const { kind, tenant, filters, largest } = question
  const answers: Answered[] = []
  let cursor: string | null = null
  for (let page = 1; page === 1 || (cursor && page <= MOST_PAGES); page++) {
    const startedAt = performance.now()
    const headers = { authorization: `Token ${tenant.apiKey}` }
    const { statusCode, body } = await client.request({ method: 'GET', path: pathOf(question, cursor), headers })
    const text = await body.text()
    const ms = performance.now() - startedAt
    const { bots, nextCursor } = JSON.parse(text) as Page
    const fits = statusCode === 200 && bots.every((bot) => filters.every(([name, value]) => String(bot.custom_attributes[name]) === value))
    const expected = kind === 'no match' ? bots.length === 0 : true
    answers.push({ kind, page, largest, ms, wrong: !fits || !expected })
    cursor = nextCursor
  }
  return answers
}

async function slowestWay({ db }: BenchServer, questions: readonly Question[]): Promise<number> {
  const question = questions.find(({ kind }) => kind === 'rare + common')
  return question ? withoutIndexes(db, question) : Number.NaN
}

function byKind(answers: readonly Answered[]): Record<string, ReturnType<typeof timesOf>> {
  const kinds = [...new Set(answers.map(({ kind }) => kind))].sort()
  return Object.fromEntries(kinds.map((kind) => [kind, timesOf(answers.filter((it) => it.kind === kind))]))
}

function timesOf(answers: readonly Answered[]) {
  return spreadOf(answers.map(({ ms }) => ms))
}
