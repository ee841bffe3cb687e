/// <reference lib="dom" />
// The built-in room: its page publishes what it knows, so the driver reads `window.emissaryRoom` and presses the buttons people press.
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { BotSpec } from '../../../domain/bot.ts'
import type { EntryOutcome, KnockOutcome, MeetingCommand, MeetingEvent, Participant, Roster } from '../../../domain/meeting.ts'
import { type AsyncQueue, createQueue } from '../../../kit/async-queue.ts'
import { createSpeakingClock } from '../../speaking.ts'
import { openContext } from '../browser.ts'
import type { MeetingDriver } from '../driver.ts'

const OPEN_WITHIN_MS = 20_000
const LEAVE_WITHIN_MS = 3_000
const PERFORM_WITHIN_MS = 4_000
const MEDIA_EVERY_MS = 2_000

type Person = {
  readonly id: string
  readonly name: string
  readonly host: boolean
  readonly media: { readonly microphone: boolean; readonly camera: boolean }
}

/** What the page publishes, as far as it can leave the page. */
type Snapshot = {
  readonly phase: 'prejoin' | 'joining' | 'waiting' | 'inside' | 'over'
  readonly ending: 'ended' | 'removed' | 'refused' | 'full' | 'left' | 'lost' | null
  readonly self: { readonly id: string } | null
  readonly people: readonly Person[]
  readonly speaking: readonly string[]
}

type Told = {
  readonly kind: string
  readonly line?: { readonly from: string; readonly name: string; readonly text: string; readonly at: number }
}

export async function createRoomDriver({
  browser,
  spec,
  now,
}: {
  browser: Browser
  spec: BotSpec
  now: () => number
}): Promise<MeetingDriver> {
  const context = await openContext(browser, new URL(spec.meeting.url).origin)
  return new RoomDriver(context, await context.newPage(), spec, now)
}

class RoomDriver implements MeetingDriver {
  readonly #context: BrowserContext
  readonly #page: Page
  readonly #spec: BotSpec
  readonly #now: () => number
  readonly #queue: AsyncQueue<MeetingEvent> = createQueue()
  #snapshot: Snapshot | null = null
  #onSnapshot = (): void => undefined
  readonly #speaking = createSpeakingClock()
  #mediaTimer: NodeJS.Timeout | undefined

  constructor(context: BrowserContext, page: Page, spec: BotSpec, now: () => number) {
    this.#context = context
    this.#page = page
    this.#spec = spec
    this.#now = now
  }

  async knock(signal: AbortSignal): Promise<KnockOutcome> {
    await this.#follow()
    const address = new URL(this.#spec.meeting.url)
    for (const [name, value] of Object.entries({ name: this.#spec.name, join: '1', bot: '1', mic: '0', cam: '0' }))
      address.searchParams.set(name, value)
    await this.#page.goto(address.href, { timeout: OPEN_WITHIN_MS })
    const snapshot = await this.#until(
      (it) => it.phase !== 'prejoin' && it.phase !== 'joining',
      AbortSignal.any([signal, AbortSignal.timeout(OPEN_WITHIN_MS)]),
    )
    if (!snapshot) throw new Error('The room did not answer')
    if (snapshot.ending === 'full') return { kind: 'blocked', reason: 'MeetingRestricted', message: 'The room is full' }
    return { kind: 'asked' }
  }

  async enter(signal: AbortSignal): Promise<EntryOutcome> {
    const snapshot = await this.#until((it) => it.phase === 'inside' || it.phase === 'over', signal)
    if (!snapshot) return { kind: 'never_admitted' }
    if (snapshot.phase === 'inside') {
      this.#mediaTimer = setInterval(() => void this.#lookForMedia(), MEDIA_EVERY_MS)
      return { kind: 'admitted' }
    }
    if (snapshot.ending === 'refused') return { kind: 'refused' }
    return { kind: 'over', message: 'The meeting ended before the bot was let in' }
  }

  events(): AsyncIterable<MeetingEvent> {
    return this.#queue
  }

  roster(): Roster {
    const at = this.#now()
    const { self, people } = this.#snapshot ?? { self: null, people: [] }
    return { others: people.filter(({ id }) => id !== self?.id).map(participant), spokenMs: this.#speaking.totals(at), at }
  }

  async perform({ text }: MeetingCommand): Promise<void> {
    const chat = this.#page.getByTestId('chat-text')
    if (!(await chat.isVisible())) await this.#page.getByTestId('toggle-chat').click({ timeout: PERFORM_WITHIN_MS })
    await chat.fill(text, { timeout: PERFORM_WITHIN_MS })
    await this.#page.getByTestId('chat-send').click({ timeout: PERFORM_WITHIN_MS })
    // The room sends every line back to whoever wrote it: only then has it been taken.
    await this.#page.getByTestId('chat-line-text').filter({ hasText: text }).last().waitFor({ timeout: PERFORM_WITHIN_MS })
  }

  async pageText(): Promise<string | null> {
    return this.#page.innerText('body', { timeout: LEAVE_WITHIN_MS }).catch(() => null) // A page that is gone says nothing.
  }

  async leave(): Promise<void> {
    clearInterval(this.#mediaTimer)
    if (this.#snapshot?.phase === 'inside') {
      const left = this.#until((it) => it.phase === 'over', AbortSignal.timeout(LEAVE_WITHIN_MS))
      const pressed = this.#page.getByTestId('leave').click({ timeout: LEAVE_WITHIN_MS })
      // Closing the page leaves as well; pressing the button only spares the others a frozen picture.
      await Promise.allSettled([pressed, left])
    }
    this.#queue.end()
    await this.#context.close().catch(() => undefined) // A browser that crashed has no context left to close.
  }

  /** Has the page tell of every change, with the state it led to. */
  async #follow(): Promise<void> {
    this.#page.on('crash', () => this.#end('lost'))
    this.#page.on('close', () => this.#end('lost'))
    await this.#page.exposeFunction('emissaryTell', (told: Told, snapshot: Snapshot) => this.#hear(told, snapshot))
    await this.#page.addInitScript(() => {
      type Page = { emissaryRoom: Record<string, unknown>; emissaryTell(told: unknown, snapshot: unknown): void }
      window.addEventListener('emissary-room', (event) => {
        const { emissaryRoom: room, emissaryTell } = window as unknown as Page
        const { kind, line } = (event as CustomEvent<{ kind: string; line?: unknown }>).detail
        const { phase, ending, self, people, speaking } = room
        emissaryTell({ kind, line }, { phase, ending, self, people, speaking })
      })
    })
  }

  #hear({ kind, line }: Told, snapshot: Snapshot): void {
    this.#snapshot = snapshot
    this.#onSnapshot()
    const at = this.#now()
    const self = snapshot.self?.id
    if (kind === 'speaking') this.#speaking.hear(snapshot.speaking, at)
    if (kind === 'people' && self && snapshot.phase === 'inside') this.#queue.push({ kind: 'people', ...this.roster() })
    if (kind === 'speaking') this.#queue.push({ kind: 'voice', speakers: snapshot.speaking.filter((id) => id !== self), at })
    if (line && line.from !== self) this.#queue.push({ kind: 'chat', from: line.from, name: line.name, text: line.text, at: line.at })
    if (snapshot.phase === 'over') this.#end(ENDINGS[snapshot.ending ?? 'lost'] ?? 'ended')
  }

  #end(how: 'ended' | 'removed' | 'lost'): void {
    this.#queue.push({ kind: 'ended', how, at: this.#now() })
    this.#queue.end()
  }

  async #lookForMedia(): Promise<void> {
    const bytes = await this.#page.evaluate(receivedBytes).catch(() => 0) // The page is going: its end is told elsewhere.
    if (bytes > this.#receivedBytes) this.#queue.push({ kind: 'media', at: this.#now() })
    this.#receivedBytes = bytes
  }
  #receivedBytes = 0

  /** The first snapshot that fits, or null when the signal comes first. */
  async #until(fits: (snapshot: Snapshot) => boolean, signal: AbortSignal): Promise<Snapshot | null> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (signal.aborted) resolve(null)
        else if (this.#snapshot && fits(this.#snapshot)) resolve(this.#snapshot)
      }
      this.#onSnapshot = look
      signal.addEventListener('abort', look)
      look()
    })
  }
}

const ENDINGS: Readonly<Record<string, 'ended' | 'removed' | 'lost'>> = { ended: 'ended', left: 'ended', removed: 'removed', lost: 'lost' }

function participant({ id, name, host, media }: Person): Participant {
  return { id, name, isHost: host, microphoneOn: media.microphone, cameraOn: media.camera }
}

/** Runs in the page: all that ever came in from the others. */
async function receivedBytes(): Promise<number> {
  const { tracks } = (window as unknown as { emissaryRoom: { tracks: readonly { receiver: RTCRtpReceiver }[] } }).emissaryRoom
  const reports = await Promise.all(tracks.map(({ receiver }) => receiver.getStats()))
  const stats = reports.flatMap((report) => [
    ...(report as unknown as ReadonlyMap<string, { type: string; bytesReceived?: number }>).values(),
  ])
  return stats.reduce((bytes, stat) => bytes + (stat.type === 'inbound-rtp' ? (stat.bytesReceived ?? 0) : 0), 0)
}
