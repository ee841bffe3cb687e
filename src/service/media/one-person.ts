// A meeting in which one person sent one H.264 video from beginning to end: their video is the recording, and is not encoded again.
import { ffmpeg, limitFor, type Workshop } from './ffmpeg.ts'
import type { MixedAudio } from './mix.ts'
import { darkness, type MediaPlan } from './plan.ts'
import { type Part, packetsOf, partsOf } from './streams.ts'

/** A picture may come this late or end this early without anybody missing it. */
const SLACK_MS = 2_000

/** Null where there is more, or less, to show than one video that goes through. */
export async function soleVideo(recording: string, plan: MediaPlan): Promise<Part | null> {
  const [person, ...others] = plan.participants
  if (!person || others.length > 0 || darkness(plan).length > 0) return null
  const [run, ...more] = person.runs.camera
  if (!run || more.length > 0 || person.runs.screen.length > 0 || run.codec !== 'h264' || run.segments[0]?.continues) return null
  if (run.startMs > SLACK_MS || plan.totalMs - run.endMs > SLACK_MS) return null
  const [part, ...parts] = await partsOf(recording, run)
  return part && parts.length === 0 ? part : null
}

export type CopyOrder = { readonly recording: string; readonly part: Part; readonly audio: MixedAudio; readonly temporary: string }

/** Answers how many frames a second were sent. */
export async function copyMeeting(workshop: Workshop, { recording, part, audio, temporary }: CopyOrder): Promise<number> {
  const seen = { startMs: 0, packets: 0 }
  const startMs = part.segments[0]?.startMs ?? 0
  const inputs = ['-itsoffset', String(startMs / 1000), '-f', 'matroska', '-i', 'pipe:0', '-i', audio.file]
  const copied = ['-map', '0:v', '-map', '1:a', '-c', 'copy', '-movflags', '+faststart', '-f', 'mp4', temporary]
  await ffmpeg(workshop, {
    args: [...inputs, ...copied],
    limitMs: limitFor(audio.durationMs),
    input: packetsOf({ recording, ...part }, seen),
  })
  return Math.round((seen.packets * 100_000) / Math.max(1, audio.durationMs)) / 100
}
