// Participants, chat and screenshots of a bot's meeting. Readable while the meeting runs.
import type { Bot } from '../../../../domain/bot.ts'
import { listChat, listParticipants, type SeenChat, type SeenParticipant } from '../../../db/fleet/meetings.ts'
import { listScreenshots, type Screenshot } from '../../../db/fleet/screenshots.ts'
import { type Artefact, listArtefacts } from '../../../db/media/recordings.ts'
import { secondsSince } from '../../../delivery/wire-participant.ts'
import type { Api, ApiDeps } from '../../deps.ts'
import { LinkQuery, type Signer, signerFor } from '../../media/signer.ts'
import { operationsOf, BotParams as params, problems } from '../../schema.ts'
import { keptBotIn } from '../find-bot.ts'
import { notRecorded } from '../not-ready.ts'
import { streamIdsOf } from '../recordings/present.ts'
import { Chats, Participants, Screenshots } from './schema.ts'

const operation = operationsOf('Recordings')
const IN_MEETING = { status: 1, humanized_status: 'in_meeting' }
const GONE = { status: 6, humanized_status: 'not_in_meeting' }
const REMOVED = { status: 7, humanized_status: 'removed_from_meeting' }

export function meetingRoutes(app: Api, deps: ApiDeps): void {
  const people = operation('getParticipants', 'List the participants', {
    params,
    response: { 200: Participants, ...problems('not_ready', 'bot_not_found', 'nothing_made') },
  })
  app.get('/bots/:bot_id/get_participants', { schema: people }, async (request) => {
    const bot = requireAdmitted(await keptBotIn(request, deps), 'participants')
    const [people, streams] = await Promise.all([
      listParticipants(deps.db, bot.id),
      listArtefacts(deps.db, bot.id, 'audio_stream', 'video_stream', 'screen_stream'),
    ])
    return people.map((it) => presentParticipant(bot, it, streams))
  })

  const chats = operation('getChats', 'List the chat messages', {
    params,
    response: { 200: Chats, ...problems('not_ready', 'bot_not_found', 'nothing_made') },
  })
  app.get('/bots/:bot_id/get_chats', { schema: chats }, async (request) => {
    const bot = requireAdmitted(await keptBotIn(request, deps), 'chat messages')
    return presentChats(bot, await listChat(deps.db, bot.id))
  })

  const screenshots = operation('getScreenshots', 'List the screenshots', {
    params,
    querystring: LinkQuery,
    response: { 200: Screenshots, ...problems('not_ready', 'bot_not_found', 'nothing_made') },
  })
  app.get('/bots/:bot_id/get_screenshots', { schema: screenshots }, async (request) => {
    const bot = await keptBotIn(request, deps)
    const pictures = await listScreenshots(deps.db, bot.id)
    if (pictures.length === 0) throw notRecorded(bot, 'screenshots')
    return presentScreenshots(bot, pictures, await signerFor(deps, bot, request.query))
  })
}

/** Throws for a bot that was never admitted: an empty list would claim an empty meeting. */
function requireAdmitted(bot: Bot, what: string): Bot {
  if (!bot.timeline.InMeeting) throw notRecorded(bot, what)
  return bot
}

/** Once the bot has left, it sees no one in the meeting, and does not know when those who stayed leave. */
function whereabouts({ endedAt }: Bot, { leftAt, removed }: SeenParticipant) {
  if (!leftAt) return endedAt ? GONE : IN_MEETING
  return removed ? REMOVED : GONE
}

function presentParticipant(bot: Bot, it: SeenParticipant, streams: readonly Artefact[]) {
  return {
    deviceId: it.id,
    displayName: it.name,
    fullName: it.name,
    profilePicture: null,
    ...whereabouts(bot, it),
    streamIds: streamIdsOf(it.id, streams),
    lastUpdated: it.updatedAt.toISOString(),
    joined_at: it.joinedAt.toISOString(),
    left_at: it.leftAt?.toISOString() ?? null,
    speaking_seconds: it.speakingMs / 1000,
  }
}

function presentScreenshots(bot: Bot, pictures: readonly Screenshot[], linkTo: Signer) {
  const entered = bot.timeline.InMeeting ? new Date(bot.timeline.InMeeting.timestamp) : null
  const screenshots = pictures.map(({ at, key }) => ({
    url: linkTo(key, `screenshot-${at.toISOString().replaceAll(':', '-')}.jpg`).url,
    timestamp: at.toISOString(),
    offset: secondsSince(entered, at),
  }))
  return { bot_id: bot.id, screenshots_count: screenshots.length, screenshots }
}

function presentChats(bot: Bot, lines: readonly SeenChat[]) {
  const enteredAt = Date.parse(bot.timeline.InMeeting?.timestamp ?? '')
  const bySpeaker = Map.groupBy(lines, ({ from }) => from)
  // Numbered within the meeting: database ids would reveal the message count of all workspaces.
  const chatMessages = lines.map((line, index) => ({
    messageId: String(index + 1),
    deviceId: line.from,
    timestamp: line.at.toISOString(),
    text: line.text,
    speakerName: line.name,
    speakerDisplayName: line.name,
    sessionTimestamp: Math.max(0, (line.at.getTime() - enteredAt) / 1000),
    is_bot: line.from === bot.id,
  }))
  return {
    metadata: {
      startTime: bot.timeline.InMeeting?.timestamp ?? null,
      lastUpdated: lines.at(-1)?.at.toISOString() ?? null,
      totalMessages: lines.length,
      uniqueSpeakers: bySpeaker.size,
      botId: bot.id,
      meetingId: bot.spec.meeting.meetingId,
    },
    speakers: [...bySpeaker].map(([deviceId, said]) => ({
      deviceId,
      name: said[0]?.name ?? '',
      displayName: said[0]?.name ?? '',
      messageCount: said.length,
    })),
    chatMessages,
    messagesBySpeaker: Object.fromEntries([...bySpeaker.keys()].map((id) => [id, chatMessages.filter(({ deviceId }) => deviceId === id)])),
  }
}
