// A million scheduled bots for the `schedule` bench: copies of a real one, due within the next two months.
import type pg from 'pg'
import type { BenchServer } from '../harness/server.ts'
import { linkWithoutDriver } from '../harness/without-driver.ts'

export const BOTS = 1_000_000
const WORKSPACES = 50

/** No bot of the million is due before this. */
const FIRST_DUE = '1 day'

/** The real bot of which the million are copies. */
export async function makePattern({ url, apiKey }: BenchServer): Promise<void> {
  const answer = await fetch(`${url}/api/v1/bots/create_bot`, {
    method: 'POST',
    headers: { authorization: `Token ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ meeting_link: linkWithoutDriver(0), join_at: new Date(Date.now() + 48 * 60 * 60_000).toISOString() }),
  })
  if (answer.status !== 201) throw new Error(`bench: create_bot answered ${answer.status}: ${await answer.text()}`)
}

export async function fillSchedule(db: pg.Pool): Promise<void> {
  await db.query(`insert into workspaces (id, name, created_at)
    select 'wsp_bench' || number, 'bench', now() from generate_series(1, ${WORKSPACES}) as number`)
  await db.query(`
    insert into bots (id, workspace_id, platform, meeting_id, meeting_url, name, status, message, created_at, join_at, launch_at, started_at,
      transcript_id, custom_attributes, timeline, request, spec)
    select 'bot_' || lpad(number::text, 26, '0'), 'wsp_bench' || (1 + number % ${WORKSPACES}), platform, meeting_id || number,
      meeting_url || number, pattern.name, 'Scheduled', message, now(), at + interval '10 s', at, pattern.started_at, 'trn_' || lpad(number::text, 26, '0'),
      custom_attributes, timeline, request, spec
    from generate_series(1, ${BOTS}) as number
    cross join lateral (select now() + interval '${FIRST_DUE}' + random() * number / number * interval '60 days' as at) as due
    cross join (select * from bots limit 1) as pattern`)
  await db.query('vacuum (analyze) bots')
}

/** Makes this many bots due at one instant, the same number in each workspace. Returns their ids. */
export async function makeDue(db: pg.Pool, count: number, at: Date): Promise<ReadonlySet<string>> {
  const { rows } = await db.query<{ id: string }>(
    `update bots set launch_at = $1, join_at = $1::timestamptz + interval '10 s' where id in (
       select id from bots where status = 'Scheduled' and node_id is null and launch_at > now() + interval '1 hour' and id like 'bot_0%'
       order by id limit $2) returning id`,
    [at, count],
  )
  return new Set(rows.map(({ id }) => id))
}
