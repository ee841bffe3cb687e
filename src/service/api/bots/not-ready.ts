// Errors for missing artefacts: 202 while they can still be made, 404 afterwards.
import type { Bot } from '../../../domain/bot.ts'
import { sentenceOf } from '../../../domain/counted.ts'
import { ServiceError } from '../../../domain/errors.ts'
import { TERMINAL } from '../../../domain/lifecycle.ts'

/** For artefacts that the bot records during the meeting. */
export function notRecorded(bot: Bot, what: string): ServiceError {
  return missing(bot, what, TERMINAL.has(bot.status))
}

/** For artefacts that are made after the call. */
export function notMade(bot: Bot, what: string): ServiceError {
  return missing(bot, what, isProcessingOver(bot))
}

function missing(bot: Bot, what: string, isFinal: boolean): ServiceError {
  const are = what.endsWith('s') ? 'are' : 'is'
  if (isFinal) return new ServiceError('nothing_made', `There ${are} no ${what}: the bot recorded nothing. ${sentenceOf(bot.message)}`)
  return new ServiceError('not_ready', `The ${what} ${are} not ready. Current status: ${bot.status}`, {
    audio_status: 'in_progress',
    video_status: 'in_progress',
  })
}

/** True once post-call processing has ended, or will never start. */
export function isProcessingOver({ status, timeline, delivered }: Bot): boolean {
  if (!TERMINAL.has(status)) return false
  const mayHaveMedia = status === 'Stopped' || status === 'Kicked' || ('Recording' in timeline && status === 'Error')
  return !mayHaveMedia || delivered !== null
}
