// Deliveries for the `webhooks` bench, written straight to the outbox, and the events that should arrive.
import type pg from 'pg'
import type { Receiver } from './receivers-process.ts'

export type Burst = { readonly botsEach: number; readonly eventsEach: number }

/** All due at once in one transaction, as after an outage. Copies of the only bot. */
export async function queueBurst(db: pg.Pool, receivers: readonly Receiver[], { botsEach, eventsEach }: Burst): Promise<void> {
  const client = await db.connect()
  try {
    await client.query('begin')
    await client.query(
      `create temp table burst on commit drop as select url, 'bot_burst' || place || 'x' || number as bot_id
       from unnest($1::text[]) with ordinality as it (url, place), generate_series(1, ${botsEach}) as number`,
      [receivers.map(({ url }) => url)],
    )
    await client.query(
      `insert into bots (id, workspace_id, platform, meeting_id, meeting_url, name, status, message, created_at, callback_url, custom_attributes,
         timeline, request, spec)
       select burst.bot_id, workspace_id, platform, meeting_id, meeting_url, name, 'Done', message, now(), url, custom_attributes,
         timeline, request, spec
       from burst cross join (select * from bots limit 1) as pattern`,
    )
    await client.query(
      `insert into events (id, workspace_id, bot_id, name, body, created_at)
       select 'msg_' || bot_id || 'x' || number, workspace_id, bot_id, 'bot.joining', json_build_object('event', 'bot.joining',
         'bot_event', 'bot.joining', 'bot_id', bot_id, 'bot_status', 'Joining', 'message', 'burst', 'status_code', 200,
         'custom_attributes', json_build_object('tag', 'tag-1'), 'timestamp', to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'event_id', 'msg_' || bot_id || 'x' || number)::text, now()
       from burst cross join (select workspace_id from bots limit 1) as pattern cross join generate_series(1, ${eventsEach}) as number
       order by number, bot_id`,
    )
    await client.query(
      `insert into deliveries (event_id, workspace_id, bot_id, url, receiver, due_at, created_at)
       select events.id, workspace_id, bot_id, url, url, now(), now() from events join burst using (bot_id) order by events.seq`,
    )
    await client.query('commit')
    await client.query('analyze deliveries, events')
  } finally {
    client.release()
  }
}

export type Expected = { readonly botId: string; readonly url: string; readonly eventIds: readonly string[] }

/** The events that each bot's receiver should get, in order. */
export async function expectedOf(db: pg.Pool, botIds: readonly string[]): Promise<Expected[]> {
  const { rows } = await db.query<Expected>(
    `select bot_id as "botId", callback_url as url, array_agg(events.id order by seq) as "eventIds"
     from events join bots on bots.id = bot_id where bot_id = any($1) group by bot_id, callback_url`,
    [botIds],
  )
  return rows
}

export async function botsLike(db: pg.Pool, pattern: string): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>('select id from bots where id like $1', [pattern])
  return rows.map(({ id }) => id)
}

/** Bots for which dispatch has events to write. */
export async function countUnderWay(db: pg.Pool): Promise<number> {
  const { rows } = await db.query<{ count: number }>(`select count(*)::int as count from bots where status = 'Joining'`)
  return rows[0]?.count ?? 0
}
