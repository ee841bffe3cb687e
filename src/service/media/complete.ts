// The last post-call step: moves the bot to Done once every requested file is stored or reported as failed.
import type { BotId, Delivered } from '../../domain/bot.ts'
import { counted } from '../../domain/counted.ts'
import { refundAttendance } from '../accounts/credits.ts'
import { type TransitionDeps, transition } from '../fleet/bot/transition.ts'

export const NOTHING: Delivered = { audio_seconds: 0, video_seconds: 0, segments: 0, words: 0, heard_seconds: 0 }

type Outcome = { readonly delivered: Delivered; readonly hasTranscript: boolean }

/** A bot that delivered nothing is refunded. An empty transcript counts as delivered. */
export async function complete(inside: TransitionDeps, bot: BotId, { delivered, hasTranscript }: Outcome, at: Date): Promise<void> {
  if (isNothing(delivered)) await refundAttendance(inside.db, bot, at)
  const isWorthSomething = hasTranscript || delivered.audio_seconds + delivered.video_seconds + delivered.words > 0
  const extra = { status: isWorthSomething ? 'success' : 'error', delivered }
  const message =
    isNothing(delivered) && hasTranscript ? 'Delivered a transcript without words: no speech was recognised' : deliveredMessage(delivered)
  await transition(inside, { bot, by: 'processing_finished', at, message, extra })
}

const isNothing = ({ audio_seconds, video_seconds, segments, words }: Delivered): boolean =>
  audio_seconds + video_seconds + segments + words === 0

export function deliveredMessage(delivered: Delivered): string {
  const { audio_seconds, video_seconds, segments, words, heard_seconds } = delivered
  if (isNothing(delivered)) return 'Nothing was recorded'
  const files = `${Math.round(audio_seconds)} s of audio, ${Math.round(video_seconds)} s of video, ${counted(segments, 'separate stream')}`
  const whole = `Delivered ${files}${words > 0 ? `, ${counted(words, 'word')}` : ''}`
  return heard_seconds > 0 ? whole : `${whole}; no speech was detected`
}
