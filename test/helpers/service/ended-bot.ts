// A bot that has left its meeting, with an unprocessed recording in the store.
import { appendFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { BotId } from '../../../src/domain/bot.ts'
import { type ManifestFact, manifestName } from '../../../src/domain/recording.ts'
import { writeRoster } from '../../../src/service/db/fleet/meetings.ts'
import { Uploads } from '../../../src/service/fleet/bot/upload.ts'
import type { ObjectStore } from '../../../src/storage/store.ts'
import { type Actor, newFolder, record } from '../media/media-meeting.ts'
import { WALL_MS } from '../media/recording-fixture.ts'
import type { TestDb } from './database.ts'
import type { Client } from './service.ts'

export const LENGTH_MS = 9_000
const whole = { fromMs: 0, toMs: LENGTH_MS }
const PEOPLE = [
  { id: 'ann', name: 'Ann', toneHz: 440, colour: [220, 30, 30], fromMs: 1_000 },
  { id: 'bob', name: 'Bob', toneHz: 880, colour: [30, 200, 30], fromMs: 4_000 },
] as const
export const TONES = PEOPLE.map(({ name, toneHz, fromMs }) => ({ name, toneHz, fromMs, toMs: fromMs + 2_000 }))

const ACTORS: readonly Actor[] = PEOPLE.map(({ id, toneHz, colour, fromMs }) => ({
  id,
  stays: [whole],
  toneHz,
  tones: [{ fromMs, toMs: fromMs + 2_000 }],
  videos: [{ spans: [whole], colour, size: '160x90', codec: 'vp8' }],
}))

type Service = { readonly api: Client; readonly db: TestDb; readonly store: ObjectStore }

/** Two people with a tone and a colour each, and additional facts of the recording. It is not processed before `process_at` is set. */
export async function createEndedBot(
  { api, db, store }: Service,
  fields: object = {},
  facts: readonly ManifestFact[] = [],
): Promise<BotId> {
  const join_at = new Date(Date.now() + 86_400_000).toISOString()
  const { body } = await api('POST', '/api/v1/bots/create_bot', {
    meeting_link: 'https://meet.google.com/abc-defg-hij',
    join_at,
    ...fields,
  })
  const botId: BotId = body.bot_id
  const others = PEOPLE.map(({ id, name }) => ({ id, name, isHost: false, microphoneOn: true, cameraOn: true }))
  await writeRoster(db, { botId, fence: 0 }, { others, spokenMs: {}, at: WALL_MS })
  const recordings = newFolder('left-')
  await record(join(recordings, botId), { actors: ACTORS, toMs: LENGTH_MS })
  for (const fact of facts) await appendFile(join(recordings, botId, manifestName(1)), `${JSON.stringify(fact)}\n`)
  await new Uploads({ store, recordings, allReadBundles: async () => true }).finish(botId)
  await rm(recordings, { recursive: true, force: true })
  const entry = { status: true, timestamp: new Date(WALL_MS).toISOString(), message: '' }
  const timeline = JSON.stringify({ InMeeting: entry, Recording: entry, Leaving: entry, Stopped: entry })
  await db.updateTable('bots').set({ status: 'Stopped', timeline, launch_at: null }).where('id', '=', botId).execute()
  return botId
}

export async function makeDue(db: TestDb, botId: BotId): Promise<void> {
  await db
    .updateTable('bots')
    .set({ process_at: new Date(0) })
    .where('id', '=', botId)
    .execute()
}
