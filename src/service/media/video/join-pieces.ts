// Makes the pieces of a video, and concatenates them with the mixed audio.
import path from 'node:path'
import type { Semaphore } from '../../../kit/semaphore.ts'
import type { MixedAudio } from '../audio/mixed-audio.ts'
import { EXIT_ON_ERROR, type FfmpegOptions, ffmpeg, limitFor } from '../ffmpeg.ts'
import { type MediaFile, writeFileAtomically } from '../file-cache.ts'
import type { MediaPlan } from '../plan.ts'
import { COLOURS_AS_SENT, type Copies, copyPiece, withBothSets } from './copied-pieces.ts'
import type { Encoder } from './encoder.ts'
import { frameRateOf } from './frame-rate.ts'
import { inParallel } from './in-parallel.ts'
import { findFonts, makePiece } from './piece.ts'
import type { Piece } from './pieces.ts'

export type MadeVideo = Pick<MediaFile, 'fps'> & {
  /** How much of it was copied from cameras without encoding. There are no names in that part. */
  readonly copiedMs: number
  /** False: for at least one participant no font was found, so the name is not drawn. */
  readonly named: boolean
}

export type JoinOrder = {
  readonly recording: string
  readonly folder: string
  readonly temporary: string
  readonly plan: MediaPlan
  readonly pieces: readonly Piece[]
  readonly copies: Copies | null
  /** Needed only to complete the video, so it may be a promise. */
  readonly audio: MixedAudio | Promise<MixedAudio>
  readonly encoder: Encoder
  /** How many pieces are encoded at the same time, asked before each. Default: one. */
  readonly atOnce?: () => number
  /** Among the pieces of all recordings of the process. Default: at once. */
  readonly inTurn?: Semaphore
  /** Called after each encoded piece. */
  readonly onEncoded?: () => Promise<void>
}

/** A multiple of every frame rate. */
const TIMESCALE = 90_000

export async function joinPieces(ffmpegOptions: FfmpegOptions, order: JoinOrder): Promise<MadeVideo> {
  const { recording, folder, temporary, plan, pieces, copies, audio, encoder, atOnce = () => 1, inTurn, onEncoded } = order
  const fonts = await findFonts(ffmpegOptions, plan)
  const isCopied = (piece: Piece): boolean => copies?.pieces.has(piece) ?? false
  const files = await inParallel(pieces, atOnce, async (piece) => {
    const place = { recording, folder, plan, piece }
    const seconds = piece.frames / piece.fps
    if (copies && isCopied(piece)) return { file: await copyPiece(place, copies.head), isCopied: true, seconds }
    const file = await makePiece(ffmpegOptions, { ...place, encoder, ...(inTurn && { inTurn }) }, fonts)
    await onEncoded?.()
    return { file, isCopied: false, seconds }
  })
  const lines = (await withAllSets(files, path.join(folder, 'first.mkv'))).map(
    ({ file, seconds }) => `file ${path.basename(file)}\nduration ${seconds}\n`,
  )
  const list = path.join(folder, 'list')
  await writeFileAtomically(list, `ffconcat version 1.0\n${lines.join('')}`)
  const strict = copies ? EXIT_ON_ERROR : []
  const inputs = ['-f', 'concat', '-i', list, '-i', (await audio).file]
  const copied = ['-map', '0:v', '-map', '1:a', '-c', 'copy', ...(copies ? COLOURS_AS_SENT : [])]
  const format = ['-video_track_timescale', String(TIMESCALE), '-movflags', '+faststart', '-f', 'mp4']
  await ffmpeg(ffmpegOptions, { args: [...strict, ...inputs, ...copied, ...format, temporary], limitMs: limitFor(plan.totalMs) })
  const copiedSeconds = files.filter((it) => it.isCopied).reduce((sum, { seconds }) => sum + seconds, 0)
  return {
    copiedMs: Math.round(copiedSeconds * 1000),
    named: plan.participants.every(({ id }) => fonts.has(id)),
    fps: frameRateOf(plan),
  }
}

type PieceFile = { readonly file: string; readonly isCopied: boolean; readonly seconds: number }

/** The same files, but the first one has the parameter sets of copied and encoded pieces, if there are both. */
async function withAllSets(files: readonly PieceFile[], target: string): Promise<readonly PieceFile[]> {
  const [first, ...more] = files
  const [encoded, copied] = [files.find(({ isCopied }) => !isCopied), files.find(({ isCopied }) => isCopied)]
  if (!first || !encoded || !copied) return files
  await withBothSets(first.file, { encoded: encoded.file, copied: copied.file }, target)
  return [{ ...first, file: target }, ...more]
}
