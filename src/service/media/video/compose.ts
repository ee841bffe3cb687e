// Composes the MP4 of a meeting, and copies as much of it as possible.
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { type FfmpegOptions, probe } from '../ffmpeg.ts'
import { cacheKey, type MediaFile, makeOnce } from '../file-cache.ts'
import { copiesIn } from './copied-pieces.ts'
import { DEFAULT_ENCODER, type Encoder } from './encoder.ts'
import { type JoinOrder, joinPieces, type MadeVideo } from './join-pieces.ts'
import type { View } from './layout.ts'
import { piecesOf } from './pieces.ts'
import { copyMeeting, soleVideo } from './sole-video.ts'

export type ComposedVideo = MediaFile & MadeVideo

export type ComposeOrder = Pick<JoinOrder, 'recording' | 'plan' | 'audio' | 'atOnce' | 'inTurn' | 'onEncoded'> & {
  readonly output: string
  readonly view: View
  /** Default: x264. */
  readonly encoder?: Encoder
  /** Called before a part is encoded that could not be copied, or a video that hardware could not encode. */
  readonly onRetry?: (error: unknown) => void
}

const VERSION = 5

/** Makes `grid_view.mp4` or `speaker_view.mp4` with the length of the session. Pauses and gaps are black. */
export async function composeVideo(ffmpegOptions: FfmpegOptions, order: ComposeOrder): Promise<ComposedVideo> {
  const { encoder = DEFAULT_ENCODER } = order
  try {
    return await composeWith(ffmpegOptions, { ...order, encoder })
  } catch (error) {
    ffmpegOptions.signal?.throwIfAborted()
    if (encoder.name === 'x264') throw error
    order.onRetry?.(error)
    // Hardware may fail meanwhile, for example if it has too many users. All pieces of a video have one encoder, so it is made again.
    return composeWith(ffmpegOptions, { ...order, encoder: { ...encoder, name: 'x264' } })
  }
}

type EncoderOrder = ComposeOrder & { readonly encoder: Encoder }

async function composeWith(ffmpegOptions: FfmpegOptions, order: EncoderOrder): Promise<ComposedVideo> {
  const { output, plan, view, encoder } = order
  // The plan also determines the audio.
  const place = { folder: output, name: `${view}.mp4`, key: cacheKey(VERSION, encoder, view, plan) }
  const pieces = piecesFolder(output, view)
  const video = await makeOnce(place, async (temporary) => {
    const made = await makeVideo(ffmpegOptions, order, { folder: pieces, temporary })
    const { durationMs, width, height } = await probe(ffmpegOptions, temporary)
    return { ...made, contentType: 'video/mp4', startMs: 0, durationMs, width, height, codec: 'h264', sampleRate: 48_000, channels: 1 }
  })
  await rm(pieces, { recursive: true, force: true })
  return video
}

/** Finished pieces are kept here until the video is complete. */
export const piecesFolder = (output: string, view: View): string => path.join(output, `.pieces-${view}`)

/** Tries to copy everything, then a part, then nothing: a damaged stream cannot be copied, and encoding leaves its part empty. */
async function makeVideo(
  ffmpegOptions: FfmpegOptions,
  order: EncoderOrder,
  target: { readonly folder: string; readonly temporary: string },
): Promise<MadeVideo> {
  const { recording, plan, view, encoder, audio } = order
  const sole = await soleVideo(recording, plan, view)
  const pieces = piecesOf(plan, view, encoder)
  const copies = await copiesIn(recording, plan, pieces)
  const ways = [
    ...(sole ? [async () => copyMeeting(ffmpegOptions, { recording, part: sole, audio: await audio, ...target })] : []),
    ...(copies ? [() => joinPieces(ffmpegOptions, { ...order, ...target, pieces, copies })] : []),
  ]
  for (const copy of ways) {
    try {
      return await copy()
    } catch (error) {
      ffmpegOptions.signal?.throwIfAborted()
      order.onRetry?.(error)
    }
  }
  return joinPieces(ffmpegOptions, { ...order, ...target, pieces, copies: null })
}
