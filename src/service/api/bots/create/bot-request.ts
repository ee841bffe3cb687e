// Turns the body of create_bot into a BotSpec: checks every rule that the schema cannot express and fills in defaults.
import type { BotSpec } from '../../../../domain/bot.ts'
import { invalid } from '../../../../domain/errors.ts'
import { parseInstant } from '../../../../domain/instant.ts'
import { type MeetingLink, parseMeetingLink } from '../../../../domain/meeting-link.ts'
import { hasLayout, PLATFORMS, type Platform, type VideoLayout } from '../../../../domain/platforms.ts'
import { SPEC_DEFAULTS } from '../../../../domain/spec-defaults.ts'
import { checkZoomAccess } from '../../../accounts/zoom-app.ts'
import { HORIZON_MS } from '../../../fleet/bot/schedule.ts'
import type { ApiDeps } from '../../deps.ts'
import { type UrlRules, urlRules } from '../../http/url-rules.ts'
import { readLeaveRules } from './automatic-leave.ts'
import { readLive, readRealtime } from './live.ts'
import { readSignIn, readZoomToken } from './platform-sections.ts'
import { checkRoomLink } from './room-link.ts'
import type { CreateBotBody } from './schema.ts'
import { readMeetingTranscript, type SpeechContext } from './transcript.ts'

export type RequestDeps = Pick<ApiDeps, 'config' | 'publicUrl' | 'rooms' | 'db' | 'providerKeys' | 'now'>

type RequestContext = SpeechContext &
  RequestDeps & {
    /** The field that holds the provider, if it is not recording_config.transcript.provider. */
    readonly providerField?: string
  }

type ReadRequest = { readonly spec: BotSpec; readonly joinAt: Date | null; readonly callbackUrl: string | null }

const PROVIDER_FIELD = 'recording_config.transcript.provider'

/** Throws a 400 that names the first invalid field. */
export async function readBotRequest(body: CreateBotBody, context: RequestContext): Promise<ReadRequest> {
  const { config, db, now, workspaceId } = context
  refuseUnbuilt(body)
  const urls = urlRules(config.ALLOW_INSECURE_URLS)
  const meeting = readMeeting(body, context)
  const spec = await readSpec(body, meeting, context, urls)
  const joinAt = readJoinAt(body.join_at, now())
  const callbackUrl = urls.callback('callback_url', body.callback_url)
  if (meeting.platform === 'zoom') await checkZoomAccess(db, config.zoom, { workspaceId, spec })
  return { spec, joinAt, callbackUrl }
}

/** Fields of the public API that this server does not implement. They are rejected, because ignoring them would look like success. */
const UNBUILT = ['agent_config_id', 'workflow_config_ids', 'live_video_required'] as const

export function refuseUnbuilt(body: object): void {
  for (const name of UNBUILT) {
    if (![undefined, null, false].includes(Reflect.get(body, name))) throw invalid(`${name} is not supported by this server. Leave it out.`)
  }
}

function readMeeting(body: CreateBotBody, context: RequestContext): MeetingLink {
  if (body.meeting_link.trim() === '') throw invalid('meeting_link is required.')
  const link = parseMeetingLink(body.meeting_link, { roomBase: context.publicUrl() })
  if (link.kind === 'problem') throw invalid(link.message)
  checkRoomLink(link, context.rooms)
  return link
}

async function readSpec(body: CreateBotBody, meeting: MeetingLink, context: RequestContext, urls: UrlRules): Promise<BotSpec> {
  const config = body.recording_config
  const transcript = await readMeetingTranscript(config?.transcript?.provider, context, {
    platform: meeting.platform,
    wantsLiveWords: Boolean(body.live_transcription_required),
    field: context.providerField ?? PROVIDER_FIELD,
  })
  const name = body.bot_name?.trim()
  if (name === '') throw invalid('bot_name must not be blank.')
  return {
    name: name ?? SPEC_DEFAULTS.name,
    meeting,
    audio: body.audio_required ?? SPEC_DEFAULTS.audio,
    video: body.video_required ?? SPEC_DEFAULTS.video,
    layout: readLayout(config?.video_layout, meeting.platform),
    separateAudio: body.audio_separate_streams ?? config?.audio_separate_streams ?? SPEC_DEFAULTS.separateAudio,
    separateVideo: body.video_separate_streams ?? config?.video_separate_streams ?? SPEC_DEFAULTS.separateVideo,
    greeting: body.bot_message || null,
    imageUrl: urls.file('bot_image_url', body.bot_image_url),
    initialAudioUrl: urls.file('initial_audio.url', body.initial_audio?.url),
    leave: readLeaveRules(body.automatic_leave, meeting.platform),
    transcript,
    ...readLive(body, transcript.provider, urls),
    realtime: readRealtime(config?.realtime_endpoints ?? [], urls),
    retentionHours: config?.retention?.hours ?? null,
    zoomToken: readZoomToken(body, meeting, urls),
    signIn: readSignIn(body, meeting),
  }
}

function readLayout(layout: VideoLayout = SPEC_DEFAULTS.layout, platform: Platform): VideoLayout {
  if (hasLayout(platform, layout)) return layout
  throw invalid(`recording_config.video_layout must be ${PLATFORMS[platform].layouts.join(' or ')} for ${PLATFORMS[platform].label}.`)
}

function readJoinAt(text: string | undefined, now: Date): Date | null {
  if (text === undefined) return null
  const at = parseInstant(text, { offset: 'optional' })
  if (!at) throw invalid('join_at must be an ISO 8601 date and time with a time zone, such as 2026-12-01T09:00:00Z.')
  if (at <= now) throw invalid('join_at must be in the future.')
  if (at.getTime() > now.getTime() + HORIZON_MS) throw invalid('join_at must be at most 90 days ahead.')
  return at
}
