// Composes the MP4 of a meeting: encodes one piece per unchanged layout, then concatenates the pieces with the mixed audio.
import { rm } from 'node:fs/promises'
import path from 'node:path'
import type { MixedAudio } from '../audio/mixed-audio.ts'
import { type FfmpegOptions, ffmpeg, limitFor, probe } from '../ffmpeg.ts'
import { cacheKey, type MediaFile, makeOnce, writeFileAtomically } from '../file-cache.ts'
import type { MediaPlan } from '../plan.ts'
import { DEFAULT_ENCODER, type Encoder } from './encoder.ts'
import { frameRateOf } from './frame-rate.ts'
import { inParallel } from './in-parallel.ts'
import { scenesOf, type View } from './layout.ts'
import { findFonts, makePiece, type Piece } from './piece.ts'
import { copyMeeting, soleVideo } from './sole-video.ts'

export type ComposedVideo = MediaFile & {
  /** True: the only video of the meeting was copied without encoding. */
  readonly copied: boolean
  /** False: for at least one participant no font was found, so the name is not drawn. */
  readonly named: boolean
}

export type ComposeOrder = {
  readonly recording: string
  readonly output: string
  readonly plan: MediaPlan
  readonly view: View
  /** Needed only to complete the video, so it may be a promise. */
  readonly audio: MixedAudio | Promise<MixedAudio>
  /** How many pieces are encoded at the same time, asked before each. Default: one. */
  readonly atOnce?: () => number
  /** Default: x264. */
  readonly encoder?: Encoder
}

/** The most work that a kill in the middle of a piece loses. Two pieces of a minute also keep two cores busy. */
const LONGEST_PIECE_SECONDS = 60
/** A multiple of every frame rate. */
const TIMESCALE = 90_000
const VERSION = 4

/** Makes `grid_view.mp4` or `speaker_view.mp4` with the length of the session. Pauses and gaps are black. */
export async function composeVideo(ffmpegOptions: FfmpegOptions, order: ComposeOrder): Promise<ComposedVideo> {
  const { encoder = DEFAULT_ENCODER } = order
  try {
    return await composeWith(ffmpegOptions, { ...order, encoder })
  } catch (error) {
    ffmpegOptions.signal?.throwIfAborted()
    if (encoder.name === 'x264') throw error
    // Hardware may fail meanwhile, for example if it has too many users. All pieces of a video have one encoder, so it is made again.
    return composeWith(ffmpegOptions, { ...order, encoder: { ...encoder, name: 'x264' } })
  }
}

type EncoderOrder = ComposeOrder & { readonly encoder: Encoder }

async function composeWith(ffmpegOptions: FfmpegOptions, order: EncoderOrder): Promise<ComposedVideo> {
  const { recording, output, plan, view, audio, encoder } = order
  // The plan also determines the audio.
  const place = { folder: output, name: `${view}.mp4`, key: cacheKey(VERSION, encoder, view, plan) }
  const pieces = piecesFolder(output, view)
  const video = await makeOnce(place, async (temporary) => {
    const sole = await soleVideo(recording, plan, view)
    const made = sole
      ? { copied: true, named: false, fps: await copyMeeting(ffmpegOptions, { recording, part: sole, audio: await audio, temporary }) }
      : { copied: false, named: await encodeMeeting(ffmpegOptions, order, { folder: pieces, temporary }), fps: frameRateOf(plan) }
    const { durationMs, width, height } = await probe(ffmpegOptions, temporary)
    return { ...made, contentType: 'video/mp4', startMs: 0, durationMs, width, height, codec: 'h264', sampleRate: 48_000, channels: 1 }
  })
  await rm(pieces, { recursive: true, force: true })
  return video
}

/** Finished pieces are kept here until the video is complete. */
export const piecesFolder = (output: string, view: View): string => path.join(output, `.pieces-${view}`)

type Target = { readonly folder: string; readonly temporary: string }

/** True: every participant's name could be drawn. */
async function encodeMeeting(
  ffmpegOptions: FfmpegOptions,
  { recording, plan, view, audio, encoder, atOnce = () => 1 }: EncoderOrder,
  { folder, temporary }: Target,
): Promise<boolean> {
  const letters = await findFonts(ffmpegOptions, plan)
  const lines = await inParallel(piecesOf(plan, view), atOnce, async (piece) => {
    const file = await makePiece(ffmpegOptions, { recording, folder, plan, piece, encoder }, letters)
    return `file ${path.basename(file)}\nduration ${piece.frames / piece.fps}\n`
  })
  const list = path.join(folder, 'list')
  await writeFileAtomically(list, `ffconcat version 1.0\n${lines.join('')}`)
  const inputs = ['-f', 'concat', '-i', list, '-i', (await audio).file]
  const copied = [
    '-map',
    '0:v',
    '-map',
    '1:a',
    '-c',
    'copy',
    '-video_track_timescale',
    String(TIMESCALE),
    '-movflags',
    '+faststart',
    '-f',
    'mp4',
  ]
  await ffmpeg(ffmpegOptions, { args: [...inputs, ...copied, temporary], limitMs: limitFor(plan.totalMs) })
  return plan.participants.every(({ id }) => letters.fonts.has(id))
}

/** Rounded to whole frames, so that the lengths of the pieces add up to the length of the session. */
export function piecesOf(plan: MediaPlan, view: View): readonly Piece[] {
  const fps = frameRateOf(plan)
  const longest = LONGEST_PIECE_SECONDS * fps
  const frameAt = (ms: number) => Math.round((ms * fps) / 1000)
  return scenesOf(plan, view).flatMap(({ fromMs, toMs, dark, tiles }) => {
    const [first, end] = [frameAt(fromMs), frameAt(toMs)]
    const count = Math.ceil((end - first) / longest)
    return Array.from({ length: count }, (_, index) => {
      const firstFrame = first + index * longest
      return { scene: { dark, tiles }, fps, firstFrame, frames: Math.min(longest, end - firstFrame) }
    })
  })
}
