// A million bots for the `list` bench: copies of a real one, with their own attributes and search terms.
import { createHash } from 'node:crypto'
import type pg from 'pg'
import type { WorkspaceId } from '../../src/domain/bot.ts'
import { attributeTerms } from '../../src/service/db/fleet/attribute-terms.ts'
import type { BenchServer } from '../harness/server.ts'

export const BOTS = 1_000_000
export const WORKSPACES = 50
/** The largest customer of a service is much larger than the others. */
const SHARE_OF_FIRST = 0.2

/** The number of values of each attribute, and the values. */
export const ATTRIBUTES = {
  tag: { values: 20, valueAt: (index: number) => `tag-${index}` },
  count: { values: 1_000, valueAt: (index: number) => index },
  customer: { values: 5_000, valueAt: (index: number) => `customer-${index}` },
  enabled: { values: 2, valueAt: (index: number) => index === 1 },
} as const

export type Tenant = { readonly id: WorkspaceId; readonly apiKey: string }

const NAMES = ['tag', 'count', 'customer', 'enabled'] as const satisfies readonly (keyof typeof ATTRIBUTES)[]
const SAMPLE = 20
const BATCH = 50_000

/** Fills the table without secondary indexes, which are created afterwards, as by a restore. */
export async function fillBots({ db }: BenchServer): Promise<readonly Tenant[]> {
  const client = await db.connect()
  try {
    const tenants = await addTenants(client)
    await loadTerms(client, tenants)
    await draw(client)
    const indexes = await dropIndexes(client)
    await client.query(insertBots(tenants))
    for (const name of NAMES) await client.query(insertTerms(name))
    for (const definition of indexes) await client.query(definition)
    await client.query('reset all')
    await client.query('vacuum (analyze) bots, bot_terms')
    await checkSample(client)
    return tenants
  } finally {
    client.release()
  }
}

/** Workspaces with a key each. */
async function addTenants(client: pg.PoolClient): Promise<readonly Tenant[]> {
  const tenants = Array.from({ length: WORKSPACES }, (_, index) => ({
    id: `wsp_bench${String(index).padStart(3, '0')}` as WorkspaceId,
    apiKey: `em_bench_key_of_workspace_${index}`,
  }))
  const ids = tenants.map(({ id }) => id)
  await client.query(`insert into workspaces (id, name, created_at) select id, id, now() from unnest($1::text[]) as it (id)`, [ids])
  await client.query(
    `insert into api_keys (id, workspace_id, name, digest, created_at)
     select replace(id, 'wsp', 'key'), id, 'bench', digest, now() from unnest($1::text[], $2::bytea[]) as it (id, digest)`,
    [ids, tenants.map(({ apiKey }) => createHash('sha256').update(apiKey).digest())],
  )
  return tenants
}

/** Every term, from the service's own function, under a number for workspace, attribute and value. */
async function loadTerms(client: pg.PoolClient, tenants: readonly Tenant[]): Promise<void> {
  await client.query('create temp table terms (key int primary key, term bigint not null)')
  const terms = tenants.flatMap(({ id }) =>
    Object.entries(ATTRIBUTES).flatMap(([name, { values, valueAt }]) =>
      Array.from({ length: values }, (_, value) => attributeTerms(id, { [name]: valueAt(value) })[0]),
    ),
  )
  for (let start = 0; start < terms.length; start += BATCH) {
    const rows = 'select $2::int + place - 1, term from unnest($1::bigint[]) with ordinality as it (term, place)'
    await client.query(`insert into terms ${rows}`, [terms.slice(start, start + BATCH), start])
  }
  await client.query('analyze terms')
}

/** Drops all indexes except constraints and those of dispatch, and returns the statements that create them. */
async function dropIndexes(client: pg.PoolClient): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select relname as name, pg_get_indexdef(indexrelid) as definition from pg_index join pg_class on pg_class.oid = indexrelid
     where indrelid in ('bots'::regclass, 'bot_terms'::regclass) and not indisprimary and relname not in ('bots_next_due', 'bots_leases')`,
  )
  for (const { name } of rows) await client.query(`drop index ${name}`)
  return rows.map(({ definition }) => definition)
}

/** Copies the bot that was created through the API. The newest tenth is scheduled, the rest has ended. About one bot per minute, with ids that sort by time and timestamps in milliseconds, as the service writes them. */
function insertBots(tenants: readonly Tenant[]): string {
  const ids = tenants.map(({ id }) => `'${id}'`).join(', ')
  return `
    insert into bots (id, workspace_id, platform, meeting_id, meeting_url, name, status, message, created_at, join_at, started_at, ended_at,
      launch_at, transcript_id, custom_attributes, timeline, request, spec)
    select 'bot_' || keys.key, (array[${ids}])[it.workspace + 1], platform, meeting_id || number, meeting_url || number, pattern.name,
      case when scheduled then 'Scheduled' when number % 5 = 0 then 'Failed' else 'Done' end, message, at,
      case when scheduled then at + interval '60 days' end, at, case when not scheduled then at + interval '40 minutes' end,
      case when scheduled then at + interval '60 days' end, 'trn_' || keys.key,
      format('{"tag":"tag-%s","count":%s,"customer":"customer-%s","enabled":%s}', it.tag, it.count, it.customer, (it.enabled = 1)::text)::json,
      timeline, request, spec
    from drawn it cross join lateral ${KEYS}
    cross join (select platform, meeting_id, meeting_url, name, message, timeline, request, spec from bots limit 1) as pattern
    order by number desc`
}

/** The source of a bot's ids. */
const KEYS = `(select lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || left(md5(number::text), 14) as key) as keys`

function insertTerms(name: string): string {
  return `insert into bot_terms (term, created_at, bot_id)
    select term, at, 'bot_' || keys.key from drawn it join terms on terms.key = it.${name}_key cross join lateral ${KEYS}`
}

/** The columns that differ for each bot. */
async function draw(client: pg.PoolClient): Promise<void> {
  const perWorkspace = NAMES.reduce((sum, name) => sum + ATTRIBUTES[name].values, 0)
  const offsets = NAMES.map((_, index) => NAMES.slice(0, index).reduce((sum, name) => sum + ATTRIBUTES[name].values, 0))
  await client.query(`
    create temp table drawn as select *, ${NAMES.map((name, index) => `workspace * ${perWorkspace} + ${offsets[index]} + ${name} as ${name}_key`)}
    from (
      select number, case when random() < ${SHARE_OF_FIRST} then 0 else 1 + floor(random() * ${WORKSPACES - 1})::int end as workspace,
        ${NAMES.map((name) => `floor(random() * ${ATTRIBUTES[name].values})::int as ${name}`)},
        date_trunc('milliseconds', now() - number * interval '25.123 seconds') as at, number < ${BOTS / 10} as scheduled
      from generate_series(1, ${BOTS}) as number
    ) as it`)
  await client.query('analyze drawn')
  // As a join, because separate look-ups take minutes.
  for (const setting of ["work_mem = '256MB'", 'enable_nestloop = off', 'enable_mergejoin = off']) await client.query(`set ${setting}`)
}

/** Checks that the terms equal those that the service would have written. */
async function checkSample(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ workspace_id: WorkspaceId; custom_attributes: Record<string, never>; terms: string[] }>(
    `select workspace_id, custom_attributes, (select array_agg(term::text order by term) from bot_terms
       where bot_id = bots.id and created_at = bots.created_at and term in (select term from terms)) as terms
     from bots tablesample system (1) where workspace_id like 'wsp_bench%' limit ${SAMPLE}`,
  )
  const wrong = rows.find((row) => String(attributeTerms(row.workspace_id, row.custom_attributes).sort(byNumber)) !== String(row.terms))
  if (wrong || rows.length === 0) throw new Error(`bench: terms differ from those of the service: ${JSON.stringify(wrong)}`)
}

function byNumber(one: string, other: string): number {
  return BigInt(one) < BigInt(other) ? -1 : 1
}
