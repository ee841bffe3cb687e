// The bots in the rooms while faults happen, one in each. A bot near its limit of launches is replaced.
import { existsSync } from 'node:fs'
import { type Receipts, requestApi } from './load.ts'
import { missingMs, type Span, sentSpans, spansIn } from './media.ts'
import type { WatchedRoom } from './rooms.ts'
import type { Subject } from './service-under-test.ts'
import type { StoredRecordings } from './stored-recordings.ts'
import { holdsWithin, required } from './wait.ts'

/** The service launches a bot four times. The next fault may need one more claim than this. */
const MOST_CLAIMS = 3
const SETTLED_WITHIN_MS = 90_000
const SENT_WITHIN_MS = 30_000
const GONE_WITHIN_MS = 30_000
const STORED_WITHIN_MS = 60_000
/** This much must be recorded after a fault. */
const RECORDED_MS = 1_500

export type SeatedBot = { readonly id: string; readonly name: string; readonly room: WatchedRoom }

type Venue = { readonly rooms: readonly WatchedRoom[]; readonly receipts: Receipts; readonly label: string }

export class RoomBots {
  readonly #subject: Subject
  readonly #rooms: readonly WatchedRoom[]
  readonly #receipts: Receipts
  readonly #label: string
  readonly #recordings: StoredRecordings
  readonly #seated = new Map<WatchedRoom, SeatedBot>()
  /** Every bot whose creation was answered with 201. */
  readonly #sent: SeatedBot[] = []

  /** The label makes the names of bots unique. */
  constructor(subject: Subject, recordings: StoredRecordings, { rooms, receipts, label }: Venue) {
    this.#label = label
    this.#subject = subject
    this.#recordings = recordings
    this.#receipts = receipts
    this.#rooms = rooms
  }

  get acknowledged(): readonly string[] {
    return this.#sent.map(({ id }) => id)
  }

  /** How often a bot rejoined its room, or should have. */
  rejoins(): number {
    const again = this.#sent.map(({ name, room }) => Math.max(0, room.sessions.of(name).length - 1))
    const away = this.seated().filter(({ name, room }) => room.sessions.connected(name).length === 0)
    return again.reduce((sum, count) => sum + count, away.length)
  }

  seated(): readonly SeatedBot[] {
    return [...this.#seated.values()]
  }

  /** Ensures that each room has a bot that may be lost once more. */
  async refresh(): Promise<void> {
    for (const room of this.#rooms) {
      const bot = this.#seated.get(room)
      if (bot && (await this.#claimsOf(bot)) <= MOST_CLAIMS) continue
      if (bot) await this.#dismiss(bot)
      this.#seated.set(room, await this.#send(room))
    }
  }

  /** Whether all bots are in their rooms and have recorded after this moment. */
  settled(after: number): Promise<boolean> {
    return holdsWithin(() => this.seated().every((bot) => this.#isSettled(bot, after)), SETTLED_WITHIN_MS)
  }

  async dismissAll(): Promise<void> {
    for (const bot of this.seated()) await this.#dismiss(bot)
  }

  async #dismiss({ id, name, room }: SeatedBot): Promise<void> {
    this.#seated.delete(room)
    await holdsWithin(async () => (await requestApi(this.#subject, 'GET', `${id}/remove_bot`)).status < 500, GONE_WITHIN_MS)
    await holdsWithin(() => room.sessions.connected(name).length === 0, GONE_WITHIN_MS)
  }

  /** Waits until all recordings have left their nodes for the store. */
  async stored(): Promise<void> {
    const folders = this.#sent.flatMap(({ id }) => this.#subject.recordingsOf(id))
    await holdsWithin(() => !folders.some((folder) => existsSync(folder)), STORED_WITHIN_MS)
    await this.#recordings.close()
  }

  /** Milliseconds of audio that was sent to the bot and is missing in its stored recording. */
  missing({ id, name, room }: SeatedBot, within: Span): number {
    return missingMs(sentSpans(room.sessions.of(name), within), this.#recordings.spansOf(id))
  }

  /** The end of its recording, by the wall clock. */
  recordedUntil({ id }: SeatedBot): number {
    const spans = this.#subject.recordingsOf(id).flatMap(spansIn)
    return Math.max(0, ...spans.map(({ to }) => to))
  }

  #isSettled(bot: SeatedBot, after: number): boolean {
    const { name, room } = bot
    const [session, ...others] = room.sessions.connected(name)
    if (!session || others.length > 0) return false
    return this.recordedUntil(bot) > Math.max(after, session.from) + RECORDED_MS
  }

  async #send(room: WatchedRoom): Promise<SeatedBot> {
    const name = `${this.#label} ${this.#sent.length + 1}`
    const body = { meeting_link: room.link, bot_name: name, callback_url: this.#receipts.url, video_required: false }
    let id = ''
    const acknowledged = async () => {
      const answer = await requestApi(this.#subject, 'POST', 'create_bot', body)
      id = answer.status === 201 ? String(answer.body.bot_id) : ''
      return id !== ''
    }
    await required('a bot is sent to the room', acknowledged, SENT_WITHIN_MS)
    const bot = { id, name, room }
    this.#sent.push(bot)
    this.#recordings.follow(id)
    return bot
  }

  async #claimsOf({ id }: SeatedBot): Promise<number> {
    const [row] = await this.#subject.query<{ fence: number }>('select fence from bots where id = $1', [id])
    return row?.fence ?? 0
  }
}
