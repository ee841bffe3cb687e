// What a bot brings back. A bot that is not done answers 202; one that made nothing says so, and why.
import type { Bot } from '../../../domain/bot.ts'
import { ServiceError } from '../../../domain/errors.ts'
import { TERMINAL } from '../../../domain/lifecycle.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { BotParams, problems } from '../schemas/common.ts'
import { LinkQuery } from '../schemas/meetings.ts'
import { keptBotIn } from './find-bot.ts'

type Artefact = {
  readonly path: string
  readonly what: string
  readonly operationId: string
  readonly asked?: (bot: Bot) => boolean
  /** It is answered by links, whose life the caller may choose. */
  readonly linked?: boolean
}

const ARTEFACTS: readonly Artefact[] = [
  { path: 'get_audio', what: 'audio recording', operationId: 'getAudio', asked: (bot) => bot.spec.audio, linked: true },
  { path: 'get_video', what: 'video recording', operationId: 'getVideo', asked: (bot) => bot.spec.video, linked: true },
  {
    path: 'get_recording_streams',
    what: 'per-participant video',
    operationId: 'getRecordingStreams',
    asked: (bot) => bot.spec.video,
    linked: true,
  },
  {
    path: 'get_audio_streams',
    what: 'per-participant audio',
    operationId: 'getAudioStreams',
    asked: (bot) => bot.spec.audio,
    linked: true,
  },
  { path: 'get_speaker_timeline', what: 'speaker timeline', operationId: 'getSpeakerTimeline' },
]

export function artefactRoutes(app: Api, deps: ApiDeps): void {
  for (const { path, what, operationId, asked, linked } of ARTEFACTS) {
    app.get(
      `/bots/:bot_id/${path}`,
      {
        schema: {
          summary: `The bot’s ${what}`,
          operationId,
          tags: ['Recordings'],
          params: BotParams,
          ...(linked && { querystring: LinkQuery }),
          response: problems('not_ready', 'bot_not_found'),
        },
      },
      async (request) => {
        const bot = await keptBotIn(request, deps)
        if (asked && !asked(bot)) throw new ServiceError('nothing_made', `There is no ${what}: it was not asked for.`)
        throw notThere(bot, what)
      },
    )
  }
}

/** Why there is none: not yet, or never. */
export function notThere(bot: Bot, what: string): ServiceError {
  if (TERMINAL.has(bot.status)) return new ServiceError('nothing_made', `There is no ${what}: the bot recorded nothing. ${bot.message}`)
  return new ServiceError('not_ready', `The ${what} is not ready. Current status: ${bot.status}`, {
    audio_status: 'in_progress',
    video_status: 'in_progress',
  })
}
