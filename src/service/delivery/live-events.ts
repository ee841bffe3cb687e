// Participant events of a bot's meeting, sent live to endpoints, to the bot's own receivers and to its sockets.
import type { EventName } from '../../domain/announcements.ts'
import type { BotId, RealtimeEndpoint } from '../../domain/bot.ts'
import type { ChatMessage, Participant, Roster } from '../../domain/meeting.ts'
import { newId } from '../../kit/id.ts'
import { openSocket, type Socket } from '../../kit/reconnecting-socket.ts'
import { type Db, inTransaction } from '../db/database.ts'
import { insertEvent } from '../db/delivery/deliveries.ts'
import { type Claim, lockClaim } from '../db/fleet/claims.ts'
import { findMeeting, findParticipant, insertChat, type Meeting, writeRoster } from '../db/fleet/meetings.ts'
import { wireParticipant, wireTimestamp } from './wire-participant.ts'

export type LiveEvents = {
  /** Under a claim that is not the bot's newest, nothing is written or sent. */
  people(claim: Claim, roster: Roster): Promise<void>
  chat(claim: Claim, message: ChatMessage): Promise<void>
  /** Closes the bot's sockets: this node sends no more events of it. */
  ended(bot: BotId): void
  stop(): Promise<void>
}

type LiveDeps = {
  readonly db: Db
  /** Called when events were written, so that delivery starts at once. */
  readonly onNews: () => void
  /** For development and tests: allows sockets to private addresses. */
  readonly allowPrivate: boolean
  readonly now: () => Date
}

/** Kept for a socket while it has no connection. */
const MOST_WAITING_EVENTS = 256

export function createLiveEvents({ db, onNews, allowPrivate, now }: LiveDeps): LiveEvents {
  const opened = new Map<BotId, Map<string, Socket>>()

  function socketOf(bot: BotId, url: string): Socket {
    const ofBot = opened.get(bot) ?? new Map<string, Socket>()
    opened.set(bot, ofBot)
    const hello = () => JSON.stringify({ type: 'ready', bot_id: bot })
    const socket = ofBot.get(url) ?? openSocket({ url, allowPrivate, hello, mostWaiting: MOST_WAITING_EVENTS, now: () => now().getTime() })
    ofBot.set(url, socket)
    return socket
  }

  async function publish(claim: Claim, write: (tx: Db) => Promise<readonly LiveEvent[]>): Promise<void> {
    const bot = claim.botId
    const sent = await inTransaction(db, async (tx) => ((await lockClaim(tx, claim)) ? announce(tx, bot, await write(tx)) : []))
    for (const { body, sockets } of sent) for (const url of sockets) socketOf(bot, url).send(body)
    if (sent.length > 0) onNews()
  }

  function ended(bot: BotId): Promise<unknown> {
    const ofBot = opened.get(bot)
    opened.delete(bot)
    return Promise.all([...(ofBot?.values() ?? [])].map((socket) => socket.end()))
  }

  return {
    people: (claim, roster) =>
      publish(claim, async (tx) => {
        const at = new Date(roster.at)
        return (await writeRoster(tx, claim, roster)).map((event) => ({ ...event, at }))
      }),
    chat: (claim, message) =>
      publish(claim, async (tx) => {
        const bot = claim.botId
        if (!(await insertChat(tx, bot, message))) return []
        const { from: id, name, text } = message
        // The bot's own message is stored but is no event: a receiver that answers chat would answer itself.
        if (id === bot) return []
        const known = await findParticipant(tx, bot, id)
        const participant = { ...(known ?? { isHost: false, microphoneOn: false, cameraOn: false }), id, name }
        return [{ action: 'chat_message', participant, at: new Date(message.at), data: { text, to: 'everyone' } }]
      }),
    ended: (bot) => void ended(bot),
    async stop() {
      await Promise.all([...opened.keys()].map(ended))
    },
  }
}

type LiveEvent = {
  readonly action: 'join' | 'leave' | 'update' | 'chat_message'
  readonly participant: Participant
  readonly at: Date
  readonly data?: { readonly text: string; readonly to: string }
}

type SentEvent = { readonly body: string; readonly sockets: readonly string[] }

/** Runs in the transaction of the change that the events report. */
async function announce(tx: Db, botId: BotId, events: readonly LiveEvent[]): Promise<SentEvent[]> {
  const meeting = events.length > 0 ? await findMeeting(tx, botId) : null
  if (!meeting) return []
  const sent: SentEvent[] = []
  for (const event of events) {
    const { action, at } = event
    const name: EventName = `participant_events.${action}`
    const listeners = (type: RealtimeEndpoint['type']) =>
      meeting.realtime.filter((it) => it.type === type && it.events.includes(name)).map(({ url }) => url)
    const id = newId('msg', at)
    const body = bodyOf(botId, meeting, { ...event, name, id })
    await insertEvent(tx, { id, workspaceId: meeting.workspaceId, botId, name, body, at }, listeners('webhook'))
    sent.push({ body, sockets: listeners('websocket') })
  }
  return sent
}

type Named = LiveEvent & { readonly name: EventName; readonly id: string }

function bodyOf(botId: BotId, meeting: Meeting, { name, id, action, participant, at, data }: Named): string {
  return JSON.stringify({
    event: name,
    bot_id: botId,
    timestamp: at.toISOString(),
    data: {
      data: {
        action,
        participant: wireParticipant(meeting.platform, participant),
        timestamp: wireTimestamp(meeting.inMeetingAt, at),
        ...(data && { data }),
      },
      bot: { id: botId, metadata: meeting.customAttributes },
    },
    custom_attributes: meeting.customAttributes,
    transcript_id: meeting.transcriptId,
    event_id: id,
  })
}
