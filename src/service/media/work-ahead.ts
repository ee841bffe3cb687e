// Encodes pieces of a video while its meeting runs, so that little is left to do after it. A piece is only a cached file, here and in the store:
// the work after the call, on any node, takes the pieces that fit its plan, and makes the others.
import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { BotId } from '../../domain/bot.ts'
import { startLoop } from '../../kit/loop.ts'
import { recordingKey } from '../../storage/store.ts'
import { type RunningRecording, recordingsAhead } from '../db/media/recordings.ts'
import { planMeeting } from './meeting-plan.ts'
import type { MediaPlan } from './plan.ts'
import type { RecordingDeps } from './recording-job.ts'
import { isDiskFull, RetryLater } from './retry-later.ts'
import { piecesFolder } from './video/compose.ts'
import type { Encoder } from './video/encoder.ts'
import { inParallel } from './video/in-parallel.ts'
import type { View } from './video/layout.ts'
import { findFonts, makePiece, segmentsOf } from './video/piece.ts'
import { type Piece, piecesOf } from './video/pieces.ts'
import { soleRun } from './video/sole-video.ts'
import { openStoredPieces, type StoredPieces } from './video/stored-pieces.ts'
import { fetchObject, openWorkFolder, outputIn, removeAbandoned, type WorkFolder } from './work-folder.ts'

const LOOK_EVERY_MS = 30_000
const RETRY_MS = 30_000
/** Segments are closed after ten seconds, and uploaded within `UPLOAD_SECONDS`, 15 by default. Owners and speech are known by then. */
const SETTLED_AFTER_MS = 30_000

export type WorkAheadOptions = Pick<RecordingDeps, 'db' | 'store' | 'folder' | 'encoder' | 'piecesAtOnce' | 'inTurn' | 'log'> & {
  readonly nodeId: string
  /** Makes nothing ahead while the disk has a problem: the service needs the rest of it. */
  readonly disk: { readonly problem: () => string | null }
}

export type WorkAhead = ReturnType<typeof startWorkAhead>

/** `made`: the pieces that this process has made. `isFetched`: those of other nodes are here. */
type Progress = { readonly stored: StoredPieces; readonly made: Set<string>; isFetched: boolean; hasFailed: boolean }
type Making = { readonly stopping: AbortController; readonly ended: Promise<unknown> }

export function startWorkAhead(options: WorkAheadOptions) {
  const { db, folder, nodeId, disk, piecesAtOnce, log } = options
  const progress = new Map<BotId, Progress>()
  /** Bots that have ended since the last look. */
  const ended = new Set<BotId>()
  const making = new Map<BotId, Making>()
  let yielding = 0

  /** True: a piece was made. */
  async function makeNext(bot: RunningRecording): Promise<boolean> {
    const state = progress.get(bot.id) ?? newProgress(options, bot)
    progress.set(bot.id, state)
    if (state.hasFailed || yielding > 0 || ended.has(bot.id)) return false
    const stopping = new AbortController()
    const work = makeAndStore(options, bot, state, stopping.signal)
    making.set(bot.id, { stopping, ended: work.catch(() => undefined) })
    try {
      return await work
    } catch (error) {
      // A store that fails is asked again at the next look, and a full disk may have space then.
      if (stopping.signal.aborted || error instanceof RetryLater || (await isDiskFull(folder))) return false
      state.hasFailed = true
      log.warn({ err: error, botId: bot.id }, 'a piece of the video could not be encoded during the meeting; the video is made after it')
      return false
    } finally {
      making.delete(bot.id)
    }
  }

  const loop = startLoop({
    async work() {
      ended.clear()
      const bots = disk.problem() === null ? await recordingsAhead(db, nodeId) : []
      for (const id of progress.keys()) if (!bots.some((bot) => bot.id === id)) progress.delete(id)
      const made = await inParallel(bots, piecesAtOnce, makeNext)
      // Another node may have made the files of a recording that was here.
      await removeAbandoned(db, folder)
      return made.includes(true) ? 0 : LOOK_EVERY_MS
    },
    onError: (error) => log.warn({ err: error }, 'running recordings could not be read from the database'),
    retryMs: RETRY_MS,
  })
  return {
    /** Makes nothing ahead during this work, which needs the cores, and for this bot also the same files. */
    async yieldTo<Result>(bot: BotId, work: () => Promise<Result>): Promise<Result> {
      yielding++
      ended.add(bot)
      const same = making.get(bot)
      same?.stopping.abort()
      await same?.ended
      return work().finally(() => {
        yielding--
      })
    },
    async stop(): Promise<void> {
      yielding++
      for (const { stopping } of making.values()) stopping.abort()
      await loop.stop()
    },
  }
}

function newProgress({ db, store, folder }: WorkAheadOptions, { id, view }: RunningRecording): Progress {
  const stored = openStoredPieces({ db, store, botId: id, folder: piecesFolder(outputIn(folder, id), view) })
  return { stored, made: new Set(), isFetched: false, hasFailed: false }
}

/** Makes the next piece, and stores pieces from time to time, or when none is left to make. True: a piece was made. */
async function makeAndStore(options: WorkAheadOptions, bot: RunningRecording, state: Progress, signal: AbortSignal): Promise<boolean> {
  const { stored, made } = state
  if (!state.isFetched) await stored.fetch(signal)
  state.isFetched = true
  const isMade = await makeSettledPiece(options, bot, made, signal)
  await (isMade ? stored.storeSometimes(signal) : stored.store(signal))
  return isMade
}

/** Makes the first piece that is missing and settled. False: there is none, or its segments are not in the store yet. */
export async function makeSettledPiece(
  options: WorkAheadOptions,
  bot: RunningRecording,
  made: Set<string>,
  signal: AbortSignal,
): Promise<boolean> {
  const { db, store, folder, encoder, inTurn } = options
  const { id, view } = bot
  const work = await openWorkFolder(store, { folder, botId: id, extent: 'manifests' }, signal)
  if (!work) return false
  const plan = await planMeeting(db, id, work.manifest, { isRunning: true })
  const piece = settledPieces(plan, view, encoder).find((it) => !made.has(JSON.stringify(it)))
  // Without one of its segments a piece would be wrong, and have the name of the right one.
  if (!piece || !(await fetchSegments(options, { id, work, plan, piece }, signal))) return false
  const order = { recording: work.recording, folder: piecesFolder(work.output, view), plan, piece, encoder, inTurn }
  await makePiece({ signal }, order, await findFonts({ signal }, plan))
  made.add(JSON.stringify(piece))
  return true
}

/** The pieces that the rest of the meeting should not change. A later source with a higher frame rate changes all of them. */
export function settledPieces(plan: MediaPlan, view: View, encoder?: Encoder): readonly Piece[] {
  // It would be copied.
  if (soleRun(plan, view)) return []
  const isSettled = ({ fps, firstFrame, frames }: Piece) => ((firstFrame + frames) * 1000) / fps <= plan.totalMs - SETTLED_AFTER_MS
  const isClosed = (piece: Piece) => segmentsOf(plan, piece).every((of) => of.every(({ closed }) => closed))
  return piecesOf(plan, view, encoder).filter((piece) => piece.way !== 'copy' && isSettled(piece) && isClosed(piece))
}

type Fetching = { readonly id: BotId; readonly work: WorkFolder; readonly plan: MediaPlan; readonly piece: Piece }

/** True: all are here. Closed segments never change, so each is fetched once. */
async function fetchSegments({ store }: WorkAheadOptions, { id, work, plan, piece }: Fetching, signal: AbortSignal): Promise<boolean> {
  for (const { file, bytes } of segmentsOf(plan, piece).flat()) {
    const local = path.join(work.recording, file)
    const isHere = async () => (await stat(local).catch(() => null))?.size === bytes
    if (!(await isHere())) await fetchObject(store, recordingKey(id, file), local, signal)
    if (!(await isHere())) return false
  }
  return true
}
