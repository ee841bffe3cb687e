// Copies the video without encoding where the view shows one H.264 video for the whole meeting.
import type { MixedAudio } from '../audio/mixed-audio.ts'
import { EXIT_ON_ERROR, type FfmpegOptions, ffmpeg, limitFor } from '../ffmpeg.ts'
import type { MediaPlan, PlannedParticipant, Run } from '../plan.ts'
import { type Part, packetsOf, partsOf } from '../streams.ts'
import { COLOURS_AS_SENT } from './copied-pieces.ts'
import type { MadeVideo } from './join-pieces.ts'
import { type Scene, scenesOf, type View } from './layout.ts'

/** The video may start this late or end this early. */
const SLACK_MS = 2_000

/** Null: the view shows no video, several videos, or an interrupted one. */
export async function soleVideo(recording: string, plan: MediaPlan, view: View): Promise<Part | null> {
  const run = soleRun(plan, view)
  const [part, ...parts] = run ? await partsOf(recording, run) : []
  return part && parts.length === 0 ? part : null
}

/** The same by the plan alone: the video may still have several parameter sets. */
export function soleRun(plan: MediaPlan, view: View): Run | null {
  const person = soleParticipant(plan, view)
  const [run, ...more] = person?.runs.camera ?? []
  if (!run || more.length > 0 || run.codec !== 'h264' || run.segments[0]?.continues) return null
  return run.startMs > SLACK_MS || plan.totalMs - run.endMs > SLACK_MS ? null : run
}

/** The participant whose camera fills the picture of every scene. Only the first and last seconds may be without it. */
function soleParticipant(plan: MediaPlan, view: View): PlannedParticipant | null {
  const scenes = scenesOf(plan, view)
  const id = scenes.find(({ tiles }) => tiles.length > 0)?.tiles[0]?.participantId
  const isAtEdge = ({ fromMs, toMs }: Scene): boolean => toMs <= SLACK_MS || fromMs >= plan.totalMs - SLACK_MS
  const fits = (scene: Scene): boolean =>
    !scene.dark &&
    scene.tiles.length <= 1 &&
    scene.tiles.every(({ participantId }) => participantId === id) &&
    (scene.tiles[0]?.shows === 'camera' || isAtEdge(scene))
  return scenes.every(fits) ? (plan.participants.find((participant) => participant.id === id) ?? null) : null
}

export type CopyOrder = { readonly recording: string; readonly part: Part; readonly audio: MixedAudio; readonly temporary: string }

export async function copyMeeting(ffmpegOptions: FfmpegOptions, { recording, part, audio, temporary }: CopyOrder): Promise<MadeVideo> {
  const seen = { startMs: 0, packets: 0 }
  const startMs = part.segments[0]?.startMs ?? 0
  const inputs = ['-itsoffset', String(startMs / 1000), '-f', 'matroska', '-i', 'pipe:0', '-i', audio.file]
  const copied = ['-map', '0:v', '-map', '1:a', '-c', 'copy', ...COLOURS_AS_SENT, '-movflags', '+faststart', '-f', 'mp4', temporary]
  await ffmpeg(ffmpegOptions, {
    args: [...EXIT_ON_ERROR, ...inputs, ...copied],
    limitMs: limitFor(audio.durationMs),
    input: packetsOf({ recording, ...part }, seen),
  })
  const fps = Math.round((seen.packets * 100_000) / Math.max(1, audio.durationMs)) / 100
  return { copiedMs: audio.durationMs, named: false, fps }
}
