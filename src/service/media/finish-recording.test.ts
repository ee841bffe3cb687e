// The end of post-call work: the bot is Done with the last of its files and its transcript.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { folderForFile } from '../../../test/helpers/for-file.ts'
import { claimAllRecordings, specFor } from '../../../test/helpers/service/fleet.ts'
import { databaseForFile, fleetForFile } from '../../../test/helpers/service/for-file.ts'
import type { BotId, BotSpec } from '../../domain/bot.ts'
import { createLog } from '../../kit/log.ts'
import { createSemaphore } from '../../kit/semaphore.ts'
import { openLocalDisk } from '../../storage/local-disk.ts'
import type { ObjectStore } from '../../storage/store.ts'
import { findBot } from '../db/fleet/bots.ts'
import { type DueRecording, keepArtefact } from '../db/media/recordings.ts'
import { claimTranscription, type DueTranscription } from '../db/media/transcriptions.ts'
import { transition } from '../fleet/bot/transition.ts'
import { beginTranscript, finish, giveUp } from './finish-recording.ts'
import { planMedia } from './plan.ts'
import type { RecordingDeps } from './recording-job.ts'
import { storeMixed } from './store-files.ts'
import { giveUpTranscription, transcribe } from './transcript/transcribe.ts'
import { DEFAULT_ENCODER } from './video/encoder.ts'

const FILES = { audio_seconds: 60, video_seconds: 60, segments: 2, words: 0, heard_seconds: 30 }

const folder = folderForFile('emissary-finish-')
const database = databaseForFile()
const fleet = fleetForFile(database)
let store: ObjectStore
beforeAll(async () => {
  store = await openLocalDisk(join(folder, 'objects'))
})

const depsHere = (): RecordingDeps => ({
  ...fleet.deps,
  store,
  folder,
  piecesAtOnce: () => 1,
  inTurn: createSemaphore(() => 1),
  encoder: DEFAULT_ENCODER,
  log: createLog({ level: 'silent', pretty: false }),
})

/** A bot whose recording is being processed. */
async function processed(fields: Partial<BotSpec> = {}): Promise<DueRecording> {
  const id = (await fleet.create({ spec: specFor('https://meet.google.com/abc-defg-hij', fields) })) as BotId
  const at = new Date()
  for (const by of ['join_requested', 'admitted', 'leaving', 'left'] as const) await transition(fleet.deps, { bot: id, by, at })
  await database.db
    .updateTable('bots')
    .set({ process_at: new Date(0) })
    .where('id', '=', id)
    .execute()
  const due = await claimAllRecordings(database.db)
  const bot = due.find((it) => it.id === id)
  if (!bot) throw new Error('The recording is not due.')
  await transition(fleet.deps, { bot: id, by: 'processing_started', at })
  return bot
}

async function claimedRun(bot: DueRecording): Promise<DueTranscription | null> {
  const run = await claimTranscription(database.db, { leaseSeconds: 60, mostSeconds: null })
  return run === null || run.botId === bot.id ? run : claimedRun(bot)
}

/** Transcribes the bot's streams. It has none, so the transcript is empty. */
async function transcribed(bot: DueRecording): Promise<void> {
  const run = await claimedRun(bot)
  if (!run) throw new Error('The transcript is not due.')
  const deps = { ...fleet.deps, store, folder, recogniserOf: async () => null }
  await transcribe(deps, run, new AbortController().signal)
}

const read = (bot: DueRecording) => findBot(database.db, fleet.workspaceId, bot.id)
const eventsOf = async (bot: DueRecording) => (await fleet.eventsOf(bot.id)).map(({ event }) => event).slice(-4)

test('is Done with the files, if the transcript was ready before them', async () => {
  const bot = await processed()
  await beginTranscript(database.db, bot, new Date())
  await transcribed(bot)
  expect(await read(bot)).toMatchObject({ status: 'MediaProcessing', delivered: null })
  await finish(depsHere(), bot, { delivered: FILES, live: null })
  expect(await read(bot)).toMatchObject({ status: 'Done', delivered: FILES })
  expect(await eventsOf(bot)).toEqual(['bot.mediaprocessing', 'transcription.processed', 'bot.transcriptionready', 'bot.done'])
})

test('is Done with the transcript, if the files were ready before it', async () => {
  const bot = await processed()
  await beginTranscript(database.db, bot, new Date())
  await finish(depsHere(), bot, { delivered: FILES, live: null })
  expect(await read(bot)).toMatchObject({ status: 'MediaProcessing', delivered: FILES })
  await transcribed(bot)
  expect(await read(bot)).toMatchObject({ status: 'Done', delivered: FILES })
  expect(await eventsOf(bot)).toEqual(['bot.mediaprocessing', 'transcription.processed', 'bot.transcriptionready', 'bot.done'])
})

/** Stores the audio file, as the work on the recording does. */
async function storedAudio(bot: DueRecording): Promise<void> {
  const file = join(folder, 'mixed.m4a')
  await writeFile(file, 'sound')
  const manifest = { facts: [] }
  const work = { recording: folder, output: folder, manifest, clear: async () => undefined }
  const [facts, picture] = [
    { contentType: 'audio/mp4', startMs: 0, durationMs: 60_000, bytes: 5, codec: 'aac' },
    { width: null, height: null, fps: null },
  ]
  const audio = { file, ...facts, ...picture, sampleRate: 48_000, channels: 1, audibleSeconds: 30 }
  await storeMixed({ deps: depsHere(), bot, work, plan: planMedia(manifest), ffmpegOptions: {} }, 'audio', audio)
}

const makeDue = (bot: DueRecording) =>
  database.db
    .updateTable('transcriptions')
    .set({ due_at: new Date(0) })
    .where('bot_id', '=', bot.id)
    .execute()

test('announces the transcript after the audio, although it was ready before', async () => {
  const bot = await processed()
  await beginTranscript(database.db, bot, new Date())
  await transcribed(bot)
  // Claimed again, the run still waits for the audio.
  await makeDue(bot)
  await transcribed(bot)
  expect(await eventsOf(bot)).not.toContain('transcription.processed')
  await storedAudio(bot)
  expect((await eventsOf(bot)).slice(1)).toEqual(['audio.processed', 'transcription.processed', 'bot.transcriptionready'])
  await finish(depsHere(), bot, { delivered: FILES, live: null })
  expect(await read(bot)).toMatchObject({ status: 'Done', delivered: FILES })
})

test('does not count a run that waits for the audio as one that ended its process', async () => {
  const bot = await processed()
  await beginTranscript(database.db, bot, new Date())
  for (let count = 0; count < 6; count++) {
    await transcribed(bot)
    await makeDue(bot)
  }
  expect(await claimedRun(bot)).toMatchObject({ unfinished: 0, recognisedWords: 0 })
})

test('announces a transcript that waited for audio that could not be made', async () => {
  const bot = await processed({ video: false })
  await beginTranscript(database.db, bot, new Date())
  await transcribed(bot)
  expect(await eventsOf(bot)).not.toContain('transcription.processed')
  await giveUp(depsHere(), bot, { code: 'processing_failed', message: 'The recording could not be processed in 6 tries' })
  expect(await eventsOf(bot)).toEqual(['audio.processed', 'transcription.processed', 'bot.transcriptionready', 'bot.done'])
})

test('announces the transcript of a bot without audio at once', async () => {
  const bot = await processed({ audio: false })
  await beginTranscript(database.db, bot, new Date())
  await transcribed(bot)
  expect((await eventsOf(bot)).slice(-2)).toEqual(['transcription.processed', 'bot.transcriptionready'])
})

test('begins a transcript that has not begun, once, also if the work is repeated', async () => {
  const bot = await processed()
  await finish(depsHere(), bot, { delivered: FILES, live: null })
  expect(await beginTranscript(database.db, bot, new Date())).toBe(false)
  await transcribed(bot)
  expect(await claimedRun(bot)).toBeNull()
  expect((await read(bot))?.status).toBe('Done')
})

test('is Done after a transcript that failed before the files were ready', async () => {
  const bot = await processed()
  await beginTranscript(database.db, bot, new Date())
  const run = await claimedRun(bot)
  if (run) await giveUpTranscription({ ...fleet.deps, store, folder, recogniserOf: async () => null }, run, 'deepgram: overloaded')
  expect((await read(bot))?.status).toBe('MediaProcessing')
  await finish(depsHere(), bot, { delivered: FILES, live: null })
  expect((await read(bot))?.status).toBe('Done')
  expect(await eventsOf(bot)).toEqual(['bot.stopped', 'bot.mediaprocessing', 'transcription.failed', 'bot.done'])
})

test('gives up on the video alone, and keeps the audio that was stored before', async () => {
  const bot = await processed()
  const audio = {
    kind: 'audio',
    position: 0,
    key: `bots/${bot.id}/media/mixed.m4a`,
    facts: { durationMs: 60_000, audibleSeconds: 30 },
  } as const
  await keepArtefact(database.db, bot.id, audio, new Date())
  await giveUp(depsHere(), bot, { code: 'processing_failed', message: 'The recording could not be processed in 6 tries' })
  expect(await read(bot)).toMatchObject({ status: 'Done', delivered: { audio_seconds: 60, video_seconds: 0, heard_seconds: 30 } })
  const failed = (await fleet.eventsOf(bot.id)).filter(({ status }) => status === 'error').map(({ event }) => event)
  expect(failed).toEqual(['video.processed', 'transcription.failed', 'bot.done'])
})
