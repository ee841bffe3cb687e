// The bot of a calendar event: the same rules as create_bot, with the link from the calendar.
import type { JsonObject } from '../../../domain/bot.ts'
import { invalid } from '../../../domain/errors.ts'
import { checkZoomApp } from '../../accounts/zoom-app.ts'
import type { CalendarDeps } from '../../calendar/deps.ts'
import { inCallersWords, type Neutral, neutral } from '../aliases.ts'
import { readBotRequest, withoutSecrets } from '../bot-request.ts'
import type { ApiDeps } from '../deps.ts'
import { CreateBotBody } from '../schemas/create-bot.ts'
import { compileValidator } from '../validation.ts'

export function botPreparer(
  deps: Pick<ApiDeps, 'config' | 'publicUrl' | 'rooms' | 'db' | 'providerKeys' | 'now'>,
): CalendarDeps['prepareBot'] {
  const { config: settings } = deps
  return async (workspace, config, meetingUrl) => {
    const { body: asked, providerField } = withTranscript({ ...config, meeting_link: meetingUrl })
    const body = checked(neutral(asked))
    const { spec, callbackUrl } = readBotRequest(body, {
      allowInsecureUrls: settings.ALLOW_INSECURE_URLS,
      publicUrl: deps.publicUrl(),
      rooms: deps.rooms,
      configuredVendors: await deps.providerKeys.vendorsOf(workspace),
      hasOwnModel: settings.NATIVE_MODEL !== undefined,
      ...(providerField !== null && { providerField }),
      now: deps.now(),
    })
    if (spec.meeting.platform === 'zoom') await checkZoomApp(deps.db, settings.zoom, workspace)
    return { spec, callbackUrl, customAttributes: body.custom_attributes ?? {}, echo: withoutSecrets(asked) }
  }
}

const validate = compileValidator({ schema: CreateBotBody, httpPart: 'body' })

/** The schema of a calendar's request does not know the other names of fields, so the neutral body is checked here. */
function checked({ body, spoken }: Neutral): CreateBotBody {
  const result = validate(body)
  if ('error' in result) throw invalid(inCallersWords(result.error.message, spoken))
  return result.value as CreateBotBody
}

type Asked = { readonly body: JsonObject; readonly providerField: string | null }

/** Calendars say `transcription` where create_bot says `recording_config.transcript.provider`, which wins. */
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
