// Encodes pieces of a video while its meeting runs, so that little is left to do after it. A piece is only a cached file: the work after the
// call takes the pieces that fit its plan, and makes the others.
import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { BotId } from '../../domain/bot.ts'
import { startLoop } from '../../kit/loop.ts'
import { recordingKey } from '../../storage/store.ts'
import { type RunningRecording, recordedAlone } from '../db/recordings.ts'
import { planMeeting } from './meeting-plan.ts'
import type { MediaPlan } from './plan.ts'
import type { RecordingDeps } from './recording-job.ts'
import { piecesFolder } from './video/compose.ts'
import type { Encoder } from './video/encoder.ts'
import type { View } from './video/layout.ts'
import { findFonts, makePiece, segmentsOf } from './video/piece.ts'
import { type Piece, piecesOf } from './video/pieces.ts'
import { soleRun } from './video/sole-video.ts'
import { fetchObject, openWorkFolder, type WorkFolder } from './work-folder.ts'

const LOOK_EVERY_MS = 30_000
const RETRY_MS = 30_000
/** Segments are closed after ten seconds and uploaded after five more. Owners and speech are known by then. */
const SETTLED_AFTER_MS = 30_000

export type WorkAheadOptions = Pick<RecordingDeps, 'db' | 'store' | 'folder' | 'encoder' | 'log'> & {
  readonly nodeId: string
}

export type WorkAhead = {
  /** Makes nothing ahead during this work, which needs the cores, and for this bot also the same files. */
  yieldTo<Result>(bot: BotId, work: () => Promise<Result>): Promise<Result>
  stop(): Promise<void>
}

/** `made`: the pieces that this process has made. */
type Progress = { readonly made: Set<string>; hasFailed: boolean }
type Making = { readonly bot: BotId; readonly stopping: AbortController; readonly ended: Promise<unknown> }

export function startWorkAhead(options: WorkAheadOptions): WorkAhead {
  const { db, nodeId, log } = options
  const progress = new Map<BotId, Progress>()
  /** Bots that have ended since the last look. */
  const ended = new Set<BotId>()
  let making: Making | null = null
  let yielding = 0

  /** True: a piece was made. */
  async function makeNext(bot: RunningRecording): Promise<boolean> {
    const state = progress.get(bot.id) ?? { made: new Set(), hasFailed: false }
    progress.set(bot.id, state)
    if (state.hasFailed || yielding > 0 || ended.has(bot.id)) return false
    const stopping = new AbortController()
    const work = makeSettledPiece(options, bot, state.made, stopping.signal)
    making = { bot: bot.id, stopping, ended: work.catch(() => undefined) }
    try {
      return await work
    } catch (error) {
      if (stopping.signal.aborted) return false
      state.hasFailed = true
      log.warn({ err: error, botId: bot.id }, 'a piece of the video could not be encoded during the meeting; the video is made after it')
      return false
    } finally {
      making = null
    }
  }

  const loop = startLoop({
    async work() {
      ended.clear()
      const bots = await recordedAlone(db, nodeId)
      for (const id of progress.keys()) if (!bots.some((bot) => bot.id === id)) progress.delete(id)
      let isBehind = false
      for (const bot of bots) isBehind = (await makeNext(bot)) || isBehind
      return isBehind ? 0 : LOOK_EVERY_MS
    },
    onError: (error) => log.warn({ err: error }, 'running recordings could not be read from the database'),
    retryMs: RETRY_MS,
  })
  return {
    async yieldTo(bot, work) {
      yielding++
      ended.add(bot)
      if (making?.bot === bot) {
        making.stopping.abort()
        await making.ended
      }
      return work().finally(() => {
        yielding--
      })
    },
    async stop() {
      yielding++
      making?.stopping.abort()
      await loop.stop()
    },
  }
}

/** Makes the first piece that is missing and settled. False: there is none, or its segments are not in the store yet. */
export async function makeSettledPiece(
  options: WorkAheadOptions,
  bot: RunningRecording,
  made: Set<string>,
  signal: AbortSignal,
): Promise<boolean> {
  const { db, store, folder, encoder } = options
  const { id, view } = bot
  const work = await openWorkFolder(store, { folder, botId: id, extent: 'manifests' }, signal)
  if (!work) return false
  const plan = await planMeeting(db, id, work.manifest, { isRunning: true })
  const piece = settledPieces(plan, view, encoder).find((it) => !made.has(JSON.stringify(it)))
  // Without one of its segments a piece would be wrong, and have the name of the right one.
  if (!piece || !(await fetchSegments(options, { id, work, plan, piece }, signal))) return false
  const order = { recording: work.recording, folder: piecesFolder(work.output, view), plan, piece, encoder }
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
