// A recording through the queue and workers of a running service: when each file is there and announced, until the bot is Done.
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { BotId } from '../../src/domain/bot.ts'
import { type ManifestFact, manifestLine, parseManifest } from '../../src/domain/recording.ts'
import { filesInBundles } from '../../src/service/media/fetched-bundle.ts'
import { recordingPrefix } from '../../src/storage/store.ts'
import { type BenchServer, withServer } from '../harness/server.ts'
import { request } from '../meeting/bots.ts'
import { MANIFEST, type Maker, NAMES, STARTED_AT } from './recording.ts'

/** Seconds after the recording was due. Each file is announced in the transaction that records it. */
export type Moments = Readonly<Record<'audio' | 'streams' | 'transcript' | 'video' | 'done', number>>

const MINUTE_MS = 60_000
const LOOK_EVERY_MS = 500
/** Slower than the budget, so that a miss has a figure. */
const DONE_WITHIN = 30 * MINUTE_MS
const FAILURES = ['transcription.failed', 'bot.error']

/** Where the pieces of the video were made while the meeting ran. `on another node`: this one has nothing but what is in the store. */
export type Ahead = 'on this node' | 'on another node' | 'nowhere'

export async function untilDone(make: Maker, minutes: number, ahead: Ahead): Promise<Moments> {
  return withMedia(async (server) => {
    const bot = await endedBot(server, make, minutes)
    if (ahead !== 'nowhere') await workAhead(server, bot, minutes)
    if (ahead === 'on another node') await forgetWork(server, bot)
    return momentsFromNow(server, bot, minutes)
  })
}

function withMedia<Result>(work: (server: BenchServer) => Promise<Result>): Promise<Result> {
  const settings = { BOT_WORKERS: '0', MODELS_DIR: process.env.MODELS_DIR ?? path.join(homedir(), '.cache/emissary/models') }
  return withServer({ plans: false, profile: false, settings }, work)
}

async function momentsFromNow(server: BenchServer, bot: BotId, minutes: number): Promise<Moments> {
  const { rows } = await server.db.query('update bots set process_at = now() where id = $1 returning process_at', [bot])
  const dueMs = Number(rows[0].process_at)
  const deadline = performance.now() + DONE_WITHIN
  while (performance.now() < deadline) {
    const moments = await momentsOf(server, bot, dueMs)
    if (moments.done !== undefined) return moments as Moments
    await delay(LOOK_EVERY_MS)
  }
  throw new Error(`bench: a recording of ${minutes} minutes was not Done within ${DONE_WITHIN / MINUTE_MS} minutes.`)
}

/** A bot that was in a meeting, as the fleet leaves it. */
async function endedBot(server: BenchServer, make: Maker, minutes: number): Promise<BotId> {
  const join_at = new Date(Date.now() + 1_440 * MINUTE_MS).toISOString()
  const link = { meeting_link: 'https://meet.google.com/abc-defg-hij', join_at }
  const { bot_id: bot } = await request<{ bot_id: BotId }>(server, 'POST', 'create_bot', link)
  make(path.join(server.folder, 'objects', recordingPrefix(bot)), minutes)
  const left = new Date(Date.parse(STARTED_AT) + minutes * MINUTE_MS)
  for (const [id, name] of Object.entries(NAMES))
    await server.db.query(
      `insert into participants (bot_id, id, name, is_host, microphone_on, camera_on, joined_at, left_at, updated_at)
       values ($1, $2, $3, false, true, true, $4, $5, $5)`,
      [bot, id, name, STARTED_AT, left],
    )
  const entry = { status: true, timestamp: STARTED_AT, message: '' }
  const timeline = JSON.stringify({ InMeeting: entry, Recording: entry, Leaving: entry, Stopped: entry })
  await server.db.query(`update bots set status = 'Stopped', timeline = $2, launch_at = null where id = $1`, [bot, timeline])
  return bot
}

/** The service looks for settled pieces every half minute, so it is about this far behind the meeting. */
const BEHIND_MS = 1.5 * MINUTE_MS
const PIECES = path.join('output', '.pieces-grid_view')

/** The meeting up to a moment near its end, until its pieces are made. Rejects if that takes longer than the meeting. */
async function workAhead({ db, folder }: BenchServer, bot: BotId, minutes: number): Promise<void> {
  const manifest = path.join(folder, 'objects', recordingPrefix(bot), MANIFEST)
  const whole = await readFile(manifest, 'utf8')
  const untilMs = minutes * MINUTE_MS - BEHIND_MS
  const isKnown = (fact: ManifestFact) =>
    fact.fact !== 'ended' && !('endMs' in fact && fact.endMs > untilMs) && !('toMs' in fact && fact.toMs > untilMs)
  await writeFile(manifest, parseManifest(whole).facts.filter(isKnown).map(manifestLine).join(''))
  const change = (columns: string, left: string) => [
    db.query(`update bots set ${columns} where id = $1`, [bot]),
    db.query(`update participants set left_at = ${left} where bot_id = $1`, [bot]),
  ]
  await Promise.all(change(`status = 'Recording', node_id = (select id from nodes), launch_at = now() + interval '1 day'`, 'null'))
  const settled = Math.floor((untilMs - MINUTE_MS / 2) / MINUTE_MS)
  const deadline = performance.now() + minutes * MINUTE_MS
  while ((await storedPieces(path.join(folder, 'work', bot, PIECES))) < settled) {
    if (performance.now() > deadline) throw new Error(`bench: the pieces of a call of ${minutes} minutes took longer than the call.`)
    await delay(LOOK_EVERY_MS)
  }
  await writeFile(manifest, whole)
  await Promise.all(change(`status = 'Stopped', node_id = null, launch_at = null, process_at = now() + interval '1 day'`, 'updated_at'))
}

/** A node removes the work of recordings that are not to be processed, so it has no more of this one than another node. */
async function forgetWork({ db, folder }: BenchServer, bot: BotId): Promise<void> {
  await db.query('update bots set process_at = null where id = $1', [bot])
  while (existsSync(path.join(folder, 'work', bot))) await delay(LOOK_EVERY_MS)
}

async function storedPieces(folder: string): Promise<number> {
  // Missing before the first piece.
  const files = await filesInBundles(folder).catch(() => [])
  return [...files].filter((name) => name.endsWith('.mkv')).length
}

async function momentsOf({ db }: BenchServer, bot: BotId, dueMs: number): Promise<Partial<Moments>> {
  const { rows: events } = await db.query<{ name: string; at: Date }>('select name, created_at as at from events where bot_id = $1', [bot])
  const { rows: streams } = await db.query<{ at: Date }>(
    `select max(created_at) as at from artefacts where bot_id = $1 and kind in ('audio_stream', 'video_stream')`,
    [bot],
  )
  const failure = events.find(({ name }) => FAILURES.includes(name))
  if (failure) throw new Error(`bench: the bot announced ${failure.name}.`)
  const seconds = (at: Date | undefined | null) => (at ? (at.getTime() - dueMs) / 1000 : undefined)
  const of = (name: string) => seconds(events.find((event) => event.name === name)?.at)
  return Object.fromEntries(
    Object.entries({
      audio: of('audio.processed'),
      streams: seconds(streams[0]?.at),
      transcript: of('transcription.processed'),
      video: of('video.processed'),
      done: of('bot.done'),
    }).filter(([, at]) => at !== undefined),
  )
}
