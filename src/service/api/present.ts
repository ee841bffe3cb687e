// Bots in the words of the wire.
import type { Static } from 'typebox'
import type { Absence } from '../../domain/absences.ts'
import type { Bot, Timeline } from '../../domain/bot.ts'
import { STATUSES, TERMINAL } from '../../domain/lifecycle.ts'
import { PLATFORMS } from '../../domain/platforms.ts'
import { participantEventsKey } from '../../storage/store.ts'
import type { LinkedBot, ToldParticipantEvent } from '../db/artefacts.ts'
import type { ListedBot } from '../db/bot-list.ts'
import type { Queue } from '../db/claims.ts'
import type { Transcription } from '../db/transcriptions.ts'
import { wireParticipant, wireTimestamp } from '../delivery/wire-participant.ts'
import type { BotDetail, BotList } from './schemas/bots.ts'

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

/** Answers where an object of the bot can be read. */
type LinkTo = (key: string) => { readonly url: string }

/** What is read beside the bot's own row. */
export type Beside = {
  readonly queue: Queue | null
  readonly absences: readonly Absence[]
  /** The run that `transcript_id` names; null while none was begun. */
  readonly transcription: Pick<Transcription, 'id' | 'status'> | null
}

export function presentDetail(
  bot: Bot,
  { queue, absences, transcription }: Beside,
  linkTo: LinkTo,
): Static<typeof BotDetail>['bot_details'] {
  const { BotID, Status, BotUsername, Platform, MeetingLink, CreatedAt, ScheduledJoinTime } = presentRecord(bot)
  return {
    BotID,
    Status,
    ErrorReason: bot.errorReason,
    Message: bot.message,
    Platform,
    BotUsername,
    MeetingLink,
    CreatedAt,
    ScheduledJoinTime,
    StartTime: bot.startedAt?.toISOString() ?? null,
    EndTime: bot.endedAt?.toISOString() ?? null,
    Duration: secondsInMeeting(bot),
    StatusTimeline: inOrder(bot.timeline),
    Queue: queue && { position: queue.position, expected_wait_seconds: queue.expectedWaitSeconds },
    Absences: absences.map(({ from, to, reason }) => ({ from: from.toISOString(), to: to?.toISOString() ?? null, reason })),
    RequestPayload: bot.request,
    custom_attributes: bot.customAttributes,
    transcript_id: transcription?.id ?? bot.transcriptId,
    TranscriptStatus: transcription?.status ?? transcriptState(bot),
    AudioStatus: mediaState(bot, bot.spec.audio, bot.delivered?.audio_seconds),
    VideoStatus: mediaState(bot, bot.spec.video, bot.delivered?.video_seconds),
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

/** While the meeting runs, too; what was deleted has no link. */
function hasSeenPeople({ timeline, isErased }: Bot): boolean {
  return timeline.InMeeting !== undefined && !isErased
}

/** The list that `participant_events` links to. */
export function presentParticipantEvents({ platform, inMeetingAt }: LinkedBot, events: readonly ToldParticipantEvent[]) {
  return events.map(({ action, at, participant }) => ({
    action,
    participant: wireParticipant(platform, participant),
    timestamp: wireTimestamp(inMeetingAt, at),
  }))
}

/** The database keeps no order of names: the stages are told as they came. */
function inOrder(timeline: Timeline): Timeline {
  const stages = Object.entries(timeline).sort(
    ([a, first], [b, second]) => first.timestamp.localeCompare(second.timestamp) || STAGE_ORDER.indexOf(a) - STAGE_ORDER.indexOf(b),
  )
  return Object.fromEntries(stages)
}

/** Of stages that were reached in the same millisecond. */
const STAGE_ORDER: readonly string[] = STATUSES.flatMap((status) => (status === 'InMeeting' ? [status, 'Recording'] : [status]))

/** A bot that recorded and yet delivered nothing has failed at it. */
function mediaState(bot: Bot, asked: boolean, delivered = 0): 'Pending' | 'Processing' | 'Success' | 'Failed' | null {
  if (!asked) return null
  if (bot.delivered) return delivered > 0 ? 'Success' : 'Recording' in bot.timeline ? 'Failed' : null
  if (bot.status === 'MediaProcessing') return 'Processing'
  return TERMINAL.has(bot.status) ? null : 'Pending'
}

/** Of a transcript that has no run: it was promised, or its data was deleted. */
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
