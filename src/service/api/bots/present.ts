// Maps a Bot to its API answers.
import type { Static } from 'typebox'
import type { Absence } from '../../../domain/absences.ts'
import type { Bot, Timeline } from '../../../domain/bot.ts'
import { STATUSES, TERMINAL } from '../../../domain/lifecycle.ts'
import { ATTRIBUTIONS } from '../../../domain/meeting.ts'
import { PLATFORMS } from '../../../domain/platforms.ts'
import { participantEventsKey } from '../../../storage/store.ts'
import type { ListedBot } from '../../db/fleet/bot-list.ts'
import type { LinkedBot } from '../../db/fleet/bots.ts'
import type { Queue } from '../../db/fleet/claims.ts'
import type { SeenParticipant } from '../../db/fleet/meetings.ts'
import type { TimedParticipantEvent } from '../../db/fleet/participant-events.ts'
import type { Artefact } from '../../db/media/recordings.ts'
import type { Transcription } from '../../db/media/transcriptions.ts'
import { wireParticipant, wireTimestamp } from '../../delivery/wire-participant.ts'
import type { BotDetail, BotList } from './schema.ts'

export function presentRecord(bot: ListedBot): Static<typeof BotList>['bots'][number] {
  const { wireName } = PLATFORMS[bot.platform]
  return {
    BotID: bot.id,
    Status: bot.status,
    BotUsername: bot.name,
    Platform: wireName,
    MeetingLink: bot.meetingUrl,
    CreatedAt: bot.createdAt.toISOString(),
    ScheduledJoinTime: bot.joinAt?.toISOString() ?? null,
    bot_id: bot.id,
    status: bot.status,
    bot_name: bot.name,
    platform: wireName,
    meeting_url: bot.meetingUrl,
    created_at: bot.createdAt.toISOString(),
    custom_attributes: bot.customAttributes,
  }
}

/** Signs a link to one of the bot's stored objects. */
type LinkTo = (key: string) => { readonly url: string }

/** Rows of other tables that the detail record shows. */
export type Beside = {
  readonly queue: Queue | null
  readonly absences: readonly Absence[]
  /** The run of `transcript_id`; null before the first run starts. */
  readonly transcription: Pick<Transcription, 'id' | 'status'> | null
  /** Files that can be read while others are still made. */
  readonly made: readonly Pick<Artefact, 'kind'>[]
  readonly people: readonly Pick<SeenParticipant, 'id' | 'name' | 'attribution'>[]
}

/** The serializer drops what the schema of the answer lacks: the fields that only lists have. */
export function presentDetail(
  bot: Bot,
  { queue, absences, transcription, made, people }: Beside,
  linkTo: LinkTo,
): Static<typeof BotDetail>['bot_details'] {
  const isMade = (file: 'audio' | 'video'): boolean => made.some(({ kind }) => kind === file)
  return {
    ...presentRecord(bot),
    ErrorReason: bot.errorReason,
    Message: bot.message,
    StartTime: bot.startedAt?.toISOString() ?? null,
    EndTime: bot.endedAt?.toISOString() ?? null,
    Duration: secondsInMeeting(bot),
    StatusTimeline: inOrder(bot.timeline),
    Queue: queue && { position: queue.position, expected_wait_seconds: queue.expectedWaitSeconds },
    Absences: absences.map(({ from, to, reason }) => ({ from: from.toISOString(), to: to?.toISOString() ?? null, reason })),
    RequestPayload: bot.request,
    transcript_id: transcription?.id ?? bot.transcriptId,
    TranscriptStatus: transcription?.status ?? transcriptState(bot),
    AudioStatus: isMade('audio') ? 'Success' : mediaState(bot, bot.spec.audio, bot.delivered?.audio_seconds),
    VideoStatus: isMade('video') ? 'Success' : mediaState(bot, bot.spec.video, bot.delivered?.video_seconds),
    Media: hasSeenPeople(bot) ? { participants: people.map(presentOwner) } : null,
    participant_events: hasSeenPeople(bot) ? linkTo(participantEventsKey(bot.id)).url : null,
    caption_file: null,
    delivered: bot.delivered ?? { audio_seconds: 0, video_seconds: 0, segments: 0, words: 0, heard_seconds: 0 },
    Evidence: bot.evidence.map(({ at, step, message, code, pageText, pageLog, screenshot }) => ({
      timestamp: at,
      step,
      message,
      code: code ?? null,
      page_text: pageText,
      page_log: [...(pageLog ?? [])],
      screenshot: screenshot ? linkTo(screenshot).url : null,
    })),
  }
}

function presentOwner({ id, name, attribution }: Beside['people'][number]) {
  return { id, name, attribution: attribution ? ATTRIBUTIONS[attribution] : 'unknown', named_by: attribution } as const
}

/** True from admission until deletion. */
function hasSeenPeople({ timeline, isErased }: Bot): boolean {
  return timeline.InMeeting !== undefined && !isErased
}

/** The content of the `participant_events` link. */
export function presentParticipantEvents({ platform, inMeetingAt }: LinkedBot, events: readonly TimedParticipantEvent[]) {
  return events.map(({ action, at, participant }) => ({
    action,
    participant: wireParticipant(platform, participant),
    timestamp: wireTimestamp(inMeetingAt, at),
  }))
}

/** Sorts the stages by time: jsonb does not keep the order of keys. */
function inOrder(timeline: Timeline): Timeline {
  const stages = Object.entries(timeline).sort(
    ([a, first], [b, second]) => first.timestamp.localeCompare(second.timestamp) || STAGE_ORDER.indexOf(a) - STAGE_ORDER.indexOf(b),
  )
  return Object.fromEntries(stages)
}

/** Breaks ties between stages of the same millisecond. */
const STAGE_ORDER: readonly string[] = STATUSES.flatMap((status) => (status === 'InMeeting' ? [status, 'Recording'] : [status]))

/** `Failed`: the bot recorded, but nothing was delivered. */
function mediaState(bot: Bot, asked: boolean, delivered = 0): 'Pending' | 'Processing' | 'Success' | 'Failed' | null {
  if (!asked || bot.status === 'Scheduled') return null
  if (bot.delivered) return delivered > 0 ? 'Success' : 'Recording' in bot.timeline ? 'Failed' : null
  if (bot.status === 'MediaProcessing') return 'Processing'
  return TERMINAL.has(bot.status) ? null : 'Pending'
}

/** The state while no run exists: before the first run, or after deletion. */
function transcriptState(bot: Bot): ReturnType<typeof mediaState> {
  const isProcessing = bot.status === 'MediaProcessing'
  if (isProcessing && bot.transcriptId !== null) return 'Processing'
  return mediaState(bot, bot.transcriptId !== null || 'TranscriptionReady' in bot.timeline, 'TranscriptionReady' in bot.timeline ? 1 : 0)
}

function secondsInMeeting({ timeline }: Bot): number | null {
  const entered = timeline.InMeeting
  const left = timeline.Leaving
  return entered && left ? (Date.parse(left.timestamp) - Date.parse(entered.timestamp)) / 1000 : null
}
