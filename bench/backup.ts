// How long a backup, its check, a restore and a move take: a hundred thousand bots with their events and people, and a gigabyte of objects.
import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { runProcess } from '../src/kit/process.ts'
import { withSnapshot } from '../src/service/db/transfer/snapshot.ts'
import { loadNow } from './harness/machine.ts'
import { atLeast, none, type Report } from './harness/report.ts'
import { type BenchServer, CLI, environmentOf, withServer } from './harness/server.ts'
import { linkWithoutDriver, WITHOUT_BROWSERS } from './harness/without-driver.ts'
import type { BenchOptions } from './options.ts'

const BOTS = 100_000
const EVENTS_PER_BOT = 5
const PEOPLE_PER_BOT = 3
const OBJECTS = 100
const OBJECT_BYTES = 10 * 1024 * 1024
const WITHIN_MS = 30 * 60_000

type Took = { readonly seconds: number; readonly 'rows a second': number; readonly 'MB a second': number }

export function backup(options: BenchOptions): Promise<Report> {
  return withServer({ ...options, settings: WITHOUT_BROWSERS }, async (server) => {
    const before = loadNow()
    console.error(`inserting ${BOTS} bots and writing ${OBJECTS} objects`)
    await fill(server)
    const { connection, folder } = server
    const copy = join(folder, 'backup')
    const restored = join(folder, 'restored')
    await mkdir(restored)
    const target = await emptyDatabase(server)

    const backUp = await emissary(folder, 'backup', copy)
    const rows = await rowsIn(copy)
    const check = await emissary(folder, 'restore', copy, '--check')
    const restore = await emissary(restored, 'restore', copy)
    // The bench has one server: the rows go to another database of it, by a socket.
    const move = await emissary(restored, 'move', '--to', target)
    const kept = await withSnapshot({ url: target }, async ({ bots }) => bots.size)
    const original = await withSnapshot(connection, async ({ bots }) => bots.size)

    const megabytes = (OBJECTS * OBJECT_BYTES) / 1e6
    const took = ({ seconds, rowSeconds, objectSeconds }: Run): Took => ({
      seconds,
      'rows a second': rows / rowSeconds,
      'MB a second': objectSeconds > 0 ? megabytes / objectSeconds : 0,
    })
    return {
      figures: {
        command: { backup: took(backUp), 'restore --check': took(check), restore: took(restore), 'move --to': took(move) },
        contents: { all: { rows, objects: OBJECTS, 'MB of objects': megabytes } },
        machine: { before, after: loadNow() },
      },
      budgets: [
        none('bots lost by backup, restore and move', original - kept),
        atLeast('rows a second of a backup', rows / backUp.rowSeconds, 10_000),
        atLeast('rows a second of a restore', rows / restore.rowSeconds, 3_000),
      ],
    }
  })
}

type Run = { readonly seconds: number; readonly rowSeconds: number; readonly objectSeconds: number }

/** The messages of the commands have the seconds of rows and of objects. */
async function emissary(folder: string, ...args: readonly string[]): Promise<Run> {
  const startedAt = performance.now()
  const shell = ['-c', 'exec "$@" 2>&1', 'sh', process.execPath, CLI, ...args]
  const env = environmentOf(folder, WITHOUT_BROWSERS)
  const said = (await runProcess({ program: 'sh', args: shell, env, cwd: folder, limitMs: WITHIN_MS })).toString()
  console.error(said.trim())
  const secondsOf = (what: RegExp): number => Number(what.exec(said)?.[1] ?? 0)
  const [rowSeconds, objectSeconds] = [secondsOf(/tables in ([\d.]+) s/), secondsOf(/MB, in ([\d.]+) s/)]
  return { seconds: (performance.now() - startedAt) / 1_000, rowSeconds, objectSeconds }
}

async function fill(server: BenchServer): Promise<void> {
  const { db, url, apiKey, folder } = server
  const answer = await fetch(`${url}/api/v1/bots/create_bot`, {
    method: 'POST',
    headers: { authorization: `Token ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ meeting_link: linkWithoutDriver(0), join_at: new Date(Date.now() + 86_400_000).toISOString() }),
  })
  if (answer.status !== 201) throw new Error(`bench: create_bot answered ${answer.status}: ${await answer.text()}`)
  await db.query(`
    insert into bots (id, workspace_id, platform, meeting_id, meeting_url, name, status, message, created_at, transcript_id, custom_attributes,
      timeline, request, spec)
    select 'bot_' || number, workspace_id, platform, meeting_id, meeting_url, name, 'Done', message, now(), 'trn_' || number,
      custom_attributes, timeline, request, spec
    from bots cross join generate_series(1, ${BOTS}) as number`)
  await db.query(`
    insert into events (id, workspace_id, bot_id, name, body, created_at)
    select bots.id || '_' || number, bots.workspace_id, bots.id, pattern.name, pattern.body, now()
    from bots cross join generate_series(1, ${EVENTS_PER_BOT}) as number cross join (select name, body from events limit 1) as pattern`)
  await db.query(`
    insert into participants (bot_id, id, name, is_host, microphone_on, camera_on, joined_at, updated_at)
    select bots.id, 'person_' || number, 'Somebody ' || number, number = 1, true, true, now(), now()
    from bots cross join generate_series(1, ${PEOPLE_PER_BOT}) as number`)
  const content = randomBytes(OBJECT_BYTES)
  for (let number = 1; number <= OBJECTS; number += 1) {
    const media = join(folder, 'objects', 'bots', `bot_${number}`, 'media')
    await mkdir(media, { recursive: true })
    await writeFile(join(media, 'video.mp4'), content)
  }
}

async function rowsIn(copy: string): Promise<number> {
  const { tables } = JSON.parse(await readFile(join(copy, 'manifest.json'), 'utf8')) as {
    readonly tables: readonly { readonly rows: number }[]
  }
  return tables.reduce((sum, { rows }) => sum + rows, 0)
}

/** The URL of another database of the same server. */
async function emptyDatabase({ connection: { host, port, user } }: BenchServer): Promise<string> {
  const client = new pg.Client({ host, port, user, database: 'postgres' })
  await client.connect()
  await client.query('create database moved')
  await client.end()
  return `postgres://${user}@/moved?host=${encodeURIComponent(host)}&port=${port}`
}
