// Pieces made while a meeting runs: which ones are settled, which node makes them, and that the work after the call takes them.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { readManifest } from '../../../test/helpers/media/manifest.ts'
import { colourAt, isNear } from '../../../test/helpers/media/media-inspection.ts'
import { type Actor, madeFolders, newFolder, record } from '../../../test/helpers/media/media-meeting.ts'
import { databaseForFile, fleetForFile } from '../../../test/helpers/service/for-file.ts'
import { until } from '../../../test/helpers/until.ts'
import type { BotId } from '../../domain/bot.ts'
import type { NodeRole } from '../../domain/node-roles.ts'
import { type ManifestFact, manifestLine, manifestName, tracksOf } from '../../domain/recording.ts'
import { createLog } from '../../kit/log.ts'
import { createSemaphore } from '../../kit/semaphore.ts'
import { openLocalDisk } from '../../storage/local-disk.ts'
import { contentTypeOf, isPiecesKey, mediaKey, type ObjectStore, recordingKey, recordingPrefix } from '../../storage/store.ts'
import { renewNode } from '../db/fleet/nodes.ts'
import { claimRecording, type DueRecording, recordingsAhead } from '../db/media/recordings.ts'
import { type Person, planMedia } from './plan.ts'
import { processRecording } from './recording-steps.ts'
import { DEFAULT_ENCODER } from './video/encoder.ts'
import { segmentsOf } from './video/piece.ts'
import { type Piece, piecesOf } from './video/pieces.ts'
import { makeSettledPiece, settledPieces, startWorkAhead, type WorkAhead, type WorkAheadOptions } from './work-ahead.ts'

/** Encoding has the lowest priority, and other suites may keep all cores busy. */
const LONG_MS = 300_000
const LENGTH_MS = 170_000
const NODE = 'node_1'
const RED = [220, 30, 30] as const
const span = (fromMs: number, toMs: number) => ({ fromMs, toMs })
const camera = (colour: readonly [number, number, number], fromMs: number, toMs: number) => ({
  ...({ colour, size: '64x36', codec: 'vp8', spans: [span(fromMs, toMs)] } as const),
})
const ACTORS: readonly Actor[] = [
  { id: 'ann', stays: [span(0, LENGTH_MS)], toneHz: 440, tones: [span(1_000, 9_000)], videos: [camera(RED, 0, LENGTH_MS)] },
  {
    id: 'bob',
    stays: [span(70_000, 130_000)],
    toneHz: 660,
    tones: [span(74_000, 90_000)],
    videos: [camera([30, 200, 30], 72_000, 118_000), { ...camera([30, 30, 200], 95_000, 110_000), kind: 'screen' }],
  },
]
/** A participant without media, whom only the roster knows. */
const CY: Person = { id: 'cy', name: 'Cy', present: [span(20_000, 150_000)] }

const database = databaseForFile()
const fleet = fleetForFile(database)
let store: ObjectStore
let facts: readonly ManifestFact[]
const recorded = newFolder('ahead-')
beforeAll(async () => {
  await renew(NODE, ['media'])
  store = await openLocalDisk(path.join(newFolder('ahead-'), 'objects'))
  await record(recorded, { actors: ACTORS, pauses: [span(140_000, 145_000)], toMs: LENGTH_MS })
  facts = readManifest(recorded).facts
}, LONG_MS)
afterEach(async () => {
  await database.db.updateTable('bots').set({ launch_at: null, process_at: null }).execute()
})
afterAll(() => {
  for (const folder of madeFolders()) rmSync(folder, { recursive: true, force: true })
})

async function renew(id: string, roles: readonly NodeRole[], seconds = 600): Promise<void> {
  const seats = { seats: 0, freeSeats: 0, freedSeats: 0, draining: false, outageSeconds: 0 }
  await renewNode(database.db, { id, roles, ...seats, address: '', key: '', version: '', startedAt: new Date() }, seconds)
}

/** What the manifest says while the meeting runs: it is appended in the order of time. */
function factsUntil(ms: number): readonly ManifestFact[] {
  const isLater = (fact: ManifestFact) => fact.fact === 'synced' && fact.segments.some(({ endMs }) => endMs > ms)
  const end = facts.findIndex(isLater)
  return end < 0 ? facts : facts.slice(0, end)
}

/** Everything that determines the file of a piece, apart from names. */
const printed = (plan: ReturnType<typeof planMedia>) => (piece: Piece) =>
  JSON.stringify([piece, segmentsOf(plan, piece).map((of) => of.map(({ file, bytes }) => [file, bytes]))])

test.each(['grid_view', 'speaker_view'] as const)('finds pieces of the final %s in every part of the meeting', (view) => {
  const final = planMedia({ facts }, [CY])
  const wanted = piecesOf(final, view).map(printed(final))
  let settled: readonly string[] = []
  for (let ms = 5_000; ms < LENGTH_MS; ms += 5_000) {
    const present = ms < 150_000 ? [span(20_000, Number.POSITIVE_INFINITY)] : (CY.present ?? [])
    const plan = planMedia({ facts: factsUntil(ms) }, ms < 20_000 ? [] : [{ ...CY, present }])
    settled = settledPieces(plan, view).map(printed(plan))
    expect(settled.filter((it) => !wanted.includes(it))).toEqual([])
  }
  const early = piecesOf(final, view).filter(({ fps, firstFrame, frames }) => (firstFrame + frames) / fps <= 130)
  expect(early.map(printed(final)).filter((it) => !settled.includes(it))).toEqual([])
})

test('settles nothing of a meeting that can be copied', { timeout: LONG_MS }, async () => {
  const folder = newFolder('ahead-')
  const videos = [{ ...camera(RED, 0, 100_000), codec: 'h264' as const }]
  await record(folder, { actors: [{ id: 'ann', stays: [span(0, 100_000)], toneHz: 440, tones: [], videos }], toMs: 100_000 })
  expect(settledPieces(planMedia(readManifest(folder)), 'grid_view')).toEqual([])
})

const change = (id: BotId, columns: object) => database.db.updateTable('bots').set(columns).where('id', '=', id).execute()

/** A bot whose meeting runs, with everything that was uploaded by then. */
async function runningBot(): Promise<BotId> {
  const id = (await fleet.create()) as BotId
  const entry = { status: true, timestamp: new Date(0).toISOString(), message: '' }
  const launch_at = new Date(Date.now() + 600_000)
  await change(id, { status: 'Recording', node_id: NODE, launch_at, timeline: JSON.stringify({ Recording: entry }) })
  for (const file of readdirSync(recorded).filter((name) => !name.endsWith('.jsonl')))
    await store.put(recordingKey(id, file), { file: path.join(recorded, file) }, { contentType: contentTypeOf(file) })
  await putManifest(id, factsUntil(100_000))
  return id
}

async function endedMeeting(id: BotId): Promise<DueRecording> {
  await change(id, { status: 'Stopped', node_id: null, launch_at: null, process_at: new Date(0) })
  const bot = await claimRecording(database.db, { leaseSeconds: 600, mostSeconds: null })
  if (!bot) throw new Error('The recording is not due.')
  return bot
}

async function putManifest(id: BotId, said: readonly ManifestFact[]): Promise<void> {
  await store.put(recordingKey(id, manifestName(1)), Buffer.from(said.map(manifestLine).join('')), { contentType: 'application/jsonl' })
}

function optionsIn(folder: string): WorkAheadOptions {
  return {
    ...fleet.deps,
    store,
    folder,
    encoder: DEFAULT_ENCODER,
    nodeId: NODE,
    disk: { problem: () => null },
    piecesAtOnce: () => 2,
    inTurn: createSemaphore(() => 2),
    log: createLog({ level: 'silent', pretty: false }),
  }
}

function startAhead(folder: string, change: Partial<WorkAheadOptions> = {}): WorkAhead {
  const ahead = startWorkAhead({ ...optionsIn(folder), ...change })
  onTestFinished(() => ahead.stop())
  return ahead
}

const madeIn = (folder: string, id: BotId): readonly string[] => {
  const pieces = path.join(folder, id, 'output', '.pieces-grid_view')
  return existsSync(pieces) ? readdirSync(pieces).filter((name) => name.endsWith('.mkv.json')) : []
}

test('makes pieces while the meeting runs, of which another node makes the video after it', { timeout: LONG_MS }, async () => {
  const [folder, other, id] = [newFolder('ahead-'), newFolder('ahead-'), await runningBot()]
  startAhead(folder)
  const stored = async () => (await store.list(recordingPrefix(id))).filter(isPiecesKey)
  await until('the first minute is stored', async () => (await stored()).length > 0, LONG_MS)

  // Without the camera of the first minute, only the pieces from before can show it.
  const cameras = tracksOf({ facts }).filter(({ kind }) => kind === 'camera')
  const early = cameras.flatMap(({ segments }) => segments).filter(({ endMs }) => endMs <= 60_000)
  await store.remove(early.map(({ file }) => recordingKey(id, file)))
  await putManifest(id, facts)
  await processRecording({ ...fleet.deps, ...optionsIn(other) }, await endedMeeting(id), new AbortController().signal)

  const video = await store.get(mediaKey(id, 'grid_view.mp4'))
  const file = path.join(newFolder('ahead-'), 'video.mp4')
  const parts: Buffer[] = []
  for await (const part of video?.stream ?? []) parts.push(part as Buffer)
  writeFileSync(file, Buffer.concat(parts))
  const colour = colourAt(file, 10, { x: 600, y: 200, width: 80, height: 80 })
  expect(isNear(colour, RED), String(colour)).toBe(true)
  expect([existsSync(path.join(other, id)), await stored()]).toEqual([false, []])
})

test('makes no piece without one of its segments', { timeout: LONG_MS }, async () => {
  const [folder, id] = [newFolder('ahead-'), await runningBot()]
  const last = tracksOf({ facts })
    .flatMap(({ kind, segments }) => segments.filter(({ endMs }) => kind === 'camera' && endMs <= 60_000))
    .at(-1)
  const key = recordingKey(id, last?.file ?? '')
  const made = () => makeSettledPiece(optionsIn(folder), { id, view: 'grid_view' }, new Set(), new AbortController().signal)
  await store.remove([key])
  expect([await made(), madeIn(folder, id)]).toEqual([false, []])
  await store.put(key, { file: path.join(recorded, last?.file ?? '') }, { contentType: contentTypeOf(key) })
  expect([await made(), madeIn(folder, id)]).toEqual([true, [expect.any(String)]])
})

test('ends the program of a piece before other work on the same recording', { timeout: LONG_MS }, async () => {
  const [folder, id] = [newFolder('ahead-'), await runningBot()]
  const ahead = startAhead(folder)
  await until('a piece is being made', () => programsIn(path.join(folder, id)) > 0, LONG_MS)
  expect(await ahead.yieldTo(id, async () => programsIn(path.join(folder, id)))).toBe(0)
})

test('encodes a piece in its turn among all recordings, ahead and after the call', { timeout: LONG_MS }, async () => {
  const [folder, id, { signal }] = [newFolder('ahead-'), await runningBot(), new AbortController()]
  const deps = { ...fleet.deps, ...optionsIn(folder), inTurn: () => Promise.reject(new Error('no turn')) }
  await expect(makeSettledPiece(deps, { id, view: 'grid_view' }, new Set(), signal)).rejects.toThrow('no turn')
  await expect(processRecording(deps, await endedMeeting(id), signal)).rejects.toThrow('no turn')
})

/** The number of programs with a file of this folder among their arguments. */
function programsIn(folder: string): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.filter((pid) => argumentsOf(pid).includes(folder)).length
}

function argumentsOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return '' // It has just ended.
  }
}

test('divides running recordings among media nodes, and moves only those of a lost one', async () => {
  const ids = [await runningBot(), await runningBot(), await runningBot(), await runningBot(), await runningBot(), await runningBot()]
  const of = async (nodeId: string) => (await recordingsAhead(database.db, nodeId)).map((bot) => bot.id).filter((id) => ids.includes(id))
  expect(await of(NODE)).toEqual(ids)
  await renew('node_2', ['api'])
  expect([await of(NODE), await of('node_2')]).toEqual([ids, []])
  await renew('node_3', ['media'])
  const [first, third] = [await of(NODE), await of('node_3')]
  expect([...first, ...third].toSorted()).toEqual(ids)
  await renew('node_4', ['media'])
  const fourth = await of('node_4')
  expect(await of(NODE)).toEqual(first.filter((id) => !fourth.includes(id)))
  await renew('node_3', ['media'], 0)
  await renew('node_4', ['media'], 0)
  expect(await of(NODE)).toEqual(ids)
})

test('removes the work folder of a recording whose files another node has made', async () => {
  const [folder, id] = [newFolder('ahead-'), await runningBot()]
  mkdirSync(path.join(folder, id))
  await change(id, { launch_at: null, process_at: null })
  // Also on a disk that is almost full, on which nothing is made.
  const running = await runningBot()
  startAhead(folder, { disk: { problem: () => 'Less than 500 MB are free' } })
  await until('the folder is removed', () => !existsSync(path.join(folder, id)), LONG_MS)
  expect(existsSync(path.join(folder, running))).toBe(false)
})
