// What a bot saw of its meeting: who was there, and what was written. Readable while the meeting runs.
import type { Bot } from '../../../domain/bot.ts'
import { listChat, listParticipants, type SeenChat, type SeenParticipant } from '../../db/meetings.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { BotParams as params, problems } from '../schemas/common.ts'
import { Chats, Participants } from '../schemas/meetings.ts'
import { notThere } from './artefacts.ts'
import { keptBotIn } from './find-bot.ts'

const tags = ['Recordings']
const IN_MEETING = { status: 1, humanized_status: 'in_meeting' }
const GONE = { status: 6, humanized_status: 'not_in_meeting' }

export function meetingRoutes(app: Api, deps: ApiDeps): void {
  const people = {
    summary: 'Who was in the meeting',
    operationId: 'getParticipants',
    tags,
    params,
    response: { 200: Participants, ...problems('not_ready', 'bot_not_found') },
  }
  app.get('/bots/:bot_id/get_participants', { schema: people }, async (request) => {
    const bot = inMeetingOnce(await keptBotIn(request, deps), 'participants')
    return (await listParticipants(deps.db, bot.id)).map(presentParticipant)
  })

  const chats = {
    summary: 'What was written in the chat',
    operationId: 'getChats',
    tags,
    params,
    response: { 200: Chats, ...problems('not_ready', 'bot_not_found') },
  }
  app.get('/bots/:bot_id/get_chats', { schema: chats }, async (request) => {
    const bot = inMeetingOnce(await keptBotIn(request, deps), 'chat messages')
    return presentChats(bot, await listChat(deps.db, bot.id))
  })
}

/** A bot that never got in saw nobody: it says so instead of showing an empty room. */
function inMeetingOnce(bot: Bot, what: string): Bot {
  if (!bot.timeline.InMeeting) throw notThere(bot, what)
  return bot
}

function presentParticipant(it: SeenParticipant) {
  return {
    deviceId: it.id,
    displayName: it.name,
    fullName: it.name,
    profilePicture: null,
    ...(it.leftAt ? GONE : IN_MEETING),
    streamIds: [],
    lastUpdated: it.updatedAt.toISOString(),
    joined_at: it.joinedAt.toISOString(),
    left_at: it.leftAt?.toISOString() ?? null,
    speaking_seconds: it.speakingMs / 1000,
  }
}

function presentChats(bot: Bot, lines: readonly SeenChat[]) {
  const enteredAt = Date.parse(bot.timeline.InMeeting?.timestamp ?? '')
  const bySpeaker = Map.groupBy(lines, ({ from }) => from)
  const chatMessages = lines.map((line) => ({
    messageId: String(line.seq),
    deviceId: line.from,
    timestamp: line.at.toISOString(),
    text: line.text,
    speakerName: line.name,
    speakerDisplayName: line.name,
    sessionTimestamp: Math.max(0, (line.at.getTime() - enteredAt) / 1000),
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
