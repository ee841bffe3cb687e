// Turns the body of create_bot into a BotSpec: checks every rule that the schema cannot express and fills in defaults.
import type { BotSpec, JsonObject } from '../../../../domain/bot.ts'
import { invalid } from '../../../../domain/errors.ts'
import { parseInstant } from '../../../../domain/instant.ts'
import { type MeetingLink, parseMeetingLink } from '../../../../domain/meeting-link.ts'
import { hasLayout, PLATFORMS, type Platform, type VideoLayout } from '../../../../domain/platforms.ts'
import type { RoomAccess } from '../../../../room/room-access.ts'
import { HORIZON_MS } from '../../../fleet/schedule.ts'
import { type UrlRules, urlRules } from '../../url-rules.ts'
import { readLeaveRules } from './automatic-leave.ts'
import { readLive, readRealtime } from './live.ts'
import { readSignIn, readZoomToken } from './platform-sections.ts'
import { checkRoomLink } from './room-link.ts'
import type { CreateBotBody } from './schema.ts'
import { readMeetingTranscript, type SpeechSetup } from './transcript.ts'

export type RequestContext = SpeechSetup & {
  readonly allowInsecureUrls: boolean
  /** Base URL of the built-in rooms. */
  readonly publicUrl: string
  readonly rooms: Pick<RoomAccess, 'admit'>
  /** The field that holds the provider, if it is not recording_config.transcript.provider. */
  readonly providerField?: string
  readonly now: Date
}

export type ReadRequest = { readonly spec: BotSpec; readonly joinAt: Date | null; readonly callbackUrl: string | null }

const PROVIDER_FIELD = 'recording_config.transcript.provider'
const DEFAULT_NAME = 'Emissary'

/** Throws a 400 that names the first invalid field. */
export function readBotRequest(body: CreateBotBody, context: RequestContext): ReadRequest {
  refuseUnbuilt(body)
  const urls = urlRules(context.allowInsecureUrls)
  const meeting = readMeeting(body, context)
  return {
    spec: readSpec(body, meeting, context, urls),
    joinAt: readJoinAt(body.join_at, context.now),
    callbackUrl: urls.callback('callback_url', body.callback_url),
  }
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
  const link = parseMeetingLink(body.meeting_link, { roomBase: context.publicUrl })
  if (link.kind === 'problem') throw invalid(link.message)
  checkRoomLink(link, context.rooms)
  return link
}

function readSpec(body: CreateBotBody, meeting: MeetingLink, context: RequestContext, urls: UrlRules): BotSpec {
  const config = body.recording_config
  const transcript = readMeetingTranscript(config?.transcript?.provider, context, {
    platform: meeting.platform,
    wantsLiveWords: Boolean(body.live_transcription_required),
    field: context.providerField ?? PROVIDER_FIELD,
  })
  const name = body.bot_name?.trim()
  if (name === '') throw invalid('bot_name must not be blank.')
  return {
    name: name ?? DEFAULT_NAME,
    meeting,
    audio: body.audio_required ?? true,
    video: body.video_required ?? true,
    layout: readLayout(config?.video_layout, meeting.platform),
    separateAudio: body.audio_separate_streams ?? config?.audio_separate_streams ?? true,
    separateVideo: body.video_separate_streams ?? config?.video_separate_streams ?? true,
    greeting: body.bot_message || null,
    imageUrl: urls.file('bot_image_url', body.bot_image_url),
    initialAudioUrl: urls.file('initial_audio.url', body.initial_audio?.url),
    leave: readLeaveRules(body.automatic_leave, meeting.platform),
    transcript: transcript,
    ...readLive(body, transcript.provider, urls),
    realtime: readRealtime(config?.realtime_endpoints ?? [], urls),
    retentionHours: config?.retention?.hours ?? null,
    zoomToken: readZoomToken(body, meeting, urls),
    signIn: readSignIn(body, meeting),
  }
}

function readLayout(layout: VideoLayout = 'grid_view', platform: Platform): VideoLayout {
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

const SECRET_FIELDS = /^(zak_url|obf_url|.*(api_?key|token|secret|password|authorization))$/i

/** The request as detail reads show it: without token URLs and credentials. */
export function withoutSecrets(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, name === 'custom_attributes' ? value : hidden(name, value)]))
}

function hidden(name: string, value: unknown): unknown {
  if (SECRET_FIELDS.test(name)) return '[hidden]'
  if (Array.isArray(value)) return value.map((item) => hidden('', item))
  return typeof value === 'object' && value !== null ? withoutSecrets(value as JsonObject) : value
}
