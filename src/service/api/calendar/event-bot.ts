// Turns the bot_config of a calendar event into a BotSpec, by the rules of create_bot.
import type { JsonObject } from '../../../domain/bot.ts'
import { invalid } from '../../../domain/errors.ts'
import { withoutSecrets } from '../../../domain/secret-fields.ts'
import type { CalendarDeps } from '../../calendar/deps.ts'
import { type Neutral, neutral, withCallerNames } from '../aliases.ts'
import { type RequestDeps, readBotRequest } from '../bots/create/bot-request.ts'
import { CreateBotBody } from '../bots/create/schema.ts'
import { compileValidator } from '../http/validation.ts'

export function botPreparer(deps: RequestDeps): CalendarDeps['prepareBot'] {
  return async (workspaceId, config, meetingUrl) => {
    const { body: asked, providerField } = withTranscript({ ...config, meeting_link: meetingUrl })
    const body = checked(neutral(asked))
    const { spec, callbackUrl } = await readBotRequest(body, { ...deps, workspaceId, ...(providerField !== null && { providerField }) })
    return { spec, callbackUrl, customAttributes: body.custom_attributes ?? {}, echo: withoutSecrets(asked) }
  }
}

const validate = compileValidator({ schema: CreateBotBody, httpPart: 'body' })

/** Checks the body after aliases are renamed: the schema of calendar requests has neutral names only. */
function checked({ body, usedAliases }: Neutral): CreateBotBody {
  const result = validate(body)
  if ('error' in result) throw invalid(withCallerNames(result.error.message, usedAliases))
  return result.value as CreateBotBody
}

type Asked = { readonly body: JsonObject; readonly providerField: string | null }

/** Calendar requests call the provider `transcription`. `recording_config.transcript.provider` wins over it. */
function withTranscript({ transcription, join_at: _time, ...config }: JsonObject): Asked {
  const recording: JsonObject = Object(config.recording_config ?? {})
  const transcript: JsonObject = Object(recording.transcript ?? {})
  if ((transcript.provider ?? null) !== null || isBlank(transcription)) return { body: config, providerField: null }
  const body = { ...config, recording_config: { ...recording, transcript: { ...transcript, provider: transcription } } }
  return { body, providerField: 'transcription' }
}

function isBlank(transcription: unknown): boolean {
  return (transcription ?? '') === '' || (typeof transcription === 'object' && Object.keys(Object(transcription)).length === 0)
}
