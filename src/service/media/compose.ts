// The MP4 of a meeting: pieces in which nobody moves, put together without encoding again, with the mixed audio beneath.
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { ffmpeg, limitFor, probe, type Workshop } from './ffmpeg.ts'
import { finished, keyOf, type MediaFile, writeFileWhole } from './finished.ts'
import { FRAMES_PER_SECOND } from './graph.ts'
import { scenesOf, type View } from './layout.ts'
import type { MixedAudio } from './mix.ts'
import { copyMeeting, soleVideo } from './one-person.ts'
import { FRAME_MS, findFonts, makePiece, type Piece } from './piece.ts'
import type { MediaPlan } from './plan.ts'

export type ComposedVideo = MediaFile & {
  /** True where the one video of the meeting was kept as it was sent. */
  readonly copied: boolean
  /** False where no font was found, and nobody's name is in the picture. */
  readonly named: boolean
}

export type ComposeOrder = {
  readonly recording: string
  readonly output: string
  readonly plan: MediaPlan
  readonly view: View
  readonly audio: MixedAudio
}

/** What a kill in the middle of a piece may cost. */
const LONGEST_PIECE_FRAMES = 60 * FRAMES_PER_SECOND
const VERSION = 1

/** `grid_view.mp4` or `speaker_view.mp4`, as long as the session, pauses and gaps black. */
export async function composeVideo(workshop: Workshop, order: ComposeOrder): Promise<ComposedVideo> {
  const { recording, output, plan, view, audio } = order
  const place = { folder: output, name: `${view}.mp4`, key: keyOf(VERSION, view, plan, audio.bytes, audio.durationMs) }
  const pieces = path.join(output, `.pieces-${view}`)
  const video = await finished(place, async (temporary) => {
    const sole = await soleVideo(recording, plan)
    const made = sole
      ? { copied: true, named: false, fps: await copyMeeting(workshop, { recording, part: sole, audio, temporary }) }
      : { copied: false, named: await encodeMeeting(workshop, order, { folder: pieces, temporary }), fps: FRAMES_PER_SECOND }
    const { durationMs, width, height } = await probe(workshop, temporary)
    return { ...made, contentType: 'video/mp4', startMs: 0, durationMs, width, height, codec: 'h264', sampleRate: 48_000, channels: 1 }
  })
  await rm(pieces, { recursive: true, force: true })
  return video
}

type Target = { readonly folder: string; readonly temporary: string }

/** Whether everybody's name could be drawn. */
async function encodeMeeting(
  workshop: Workshop,
  { recording, plan, view, audio }: ComposeOrder,
  { folder, temporary }: Target,
): Promise<boolean> {
  const letters = await findFonts(workshop, plan)
  const lines = ['ffconcat version 1.0']
  for (const piece of piecesOf(plan, view)) {
    const file = await makePiece(workshop, { recording, folder, plan, piece }, letters)
    lines.push(`file ${path.basename(file)}`, `duration ${(piece.frames * FRAME_MS) / 1000}`)
  }
  const list = path.join(folder, 'list')
  await writeFileWhole(list, `${lines.join('\n')}\n`)
  const inputs = ['-f', 'concat', '-i', list, '-i', audio.file]
  const copied = ['-map', '0:v', '-map', '1:a', '-c', 'copy', '-video_track_timescale', '25000', '-movflags', '+faststart', '-f', 'mp4']
  await ffmpeg(workshop, { args: [...inputs, ...copied, temporary], limitMs: limitFor(plan.totalMs) })
  return plan.participants.every(({ id }) => letters.fonts.has(id))
}

/** On the grid of frames, so that lengths add up to the session's however many pieces there are. */
export function piecesOf(plan: MediaPlan, view: View): readonly Piece[] {
  const frameAt = (ms: number) => Math.round(ms / FRAME_MS)
  return scenesOf(plan, view).flatMap(({ fromMs, toMs, dark, tiles }) => {
    const [first, end] = [frameAt(fromMs), frameAt(toMs)]
    const count = Math.ceil((end - first) / LONGEST_PIECE_FRAMES)
    return Array.from({ length: count }, (_, index) => {
      const firstFrame = first + index * LONGEST_PIECE_FRAMES
      return { scene: { dark, tiles }, firstFrame, frames: Math.min(LONGEST_PIECE_FRAMES, end - firstFrame) }
    })
  })
}
