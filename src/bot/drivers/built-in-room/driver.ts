/// <reference lib="dom" />
// The built-in room: its page publishes what it knows, so the driver reads `window.emissaryRoom` and presses the buttons people press.
import type { BotSpec } from '../../../domain/bot.ts'
import type { Attendees, EntryOutcome, KnockOutcome, MeetingEvent, Participant, TrackOwner } from '../../../domain/meeting.ts'
import type { TrackKind } from '../../../domain/recording.ts'
import { type AsyncQueue, createQueue } from '../../../kit/async-queue.ts'
import { Failure } from '../../../kit/failure.ts'
import { createTurns } from '../../../kit/in-turn.ts'
import type { DriverProfile, DriverTools, MeetingDriver } from '../driver.ts'
import { MeetingPage } from '../web-client/meeting-page.ts'

const OPEN_WITHIN_MS = 20_000
const LEAVE_WITHIN_MS = 3_000
const PRESS_WITHIN_MS = 4_000

type Person = {
  readonly id: string
  readonly name: string
  readonly host: boolean
  readonly media: { readonly microphone: boolean; readonly camera: boolean }
}

/** What the page publishes, as far as it can leave the page. */
type Snapshot = {
  readonly phase: 'prejoin' | 'joining' | 'waiting' | 'inside' | 'over'
  readonly ending: 'ended' | 'removed' | 'refused' | 'full' | 'left' | 'link_expired' | 'lost' | null
  readonly self: { readonly id: string } | null
  readonly people: readonly Person[]
  readonly speaking: readonly string[]
  readonly tracks: readonly { readonly id: string; readonly person: string; readonly kind: 'microphone' | 'camera' | 'screen' }[]
}

type Told = {
  readonly kind: string
  readonly line?: { readonly from: string; readonly name: string; readonly text: string; readonly at: number }
}

export const ROOM_PROFILE: DriverProfile = { browser: 'headless', encoded: true, wrapWorkers: true, ignoredSources: [] }

export async function createRoomDriver({ browser, display, spec, now, scripts }: DriverTools): Promise<MeetingDriver> {
  const page = await MeetingPage.open(browser, { display, origin: new URL(spec.meeting.url).origin, scripts })
  return new RoomDriver(page, spec, now)
}

class RoomDriver implements MeetingDriver {
  readonly page: MeetingPage
  readonly #spec: BotSpec
  readonly #now: () => number
  readonly #queue: AsyncQueue<MeetingEvent> = createQueue()
  #snapshot: Snapshot | null = null
  /** As last seen from inside: whoever is out sees nobody, which does not mean that they have left. */
  #others: readonly Person[] = []
  #onSnapshot = (): void => undefined
  /** The page has one set of buttons: two hands at once press beside each other. */
  readonly #inTurn = createTurns()

  constructor(page: MeetingPage, spec: BotSpec, now: () => number) {
    this.page = page
    this.#spec = spec
    this.#now = now
  }

  async knock(signal: AbortSignal): Promise<KnockOutcome> {
    await this.#follow()
    const address = new URL(this.#spec.meeting.url)
    for (const [name, value] of Object.entries({ name: this.#spec.name, join: '1', bot: '1', mic: '0', cam: '0' }))
      address.searchParams.set(name, value)
    await this.#open(address)
    const snapshot = await this.#until(
      (it) => it.phase !== 'prejoin' && it.phase !== 'joining',
      AbortSignal.any([signal, AbortSignal.timeout(OPEN_WITHIN_MS)]),
    )
    if (!snapshot) throw new Failure('room_unreachable', 'The room did not answer')
    if (snapshot.ending === 'full') return { kind: 'blocked', reason: 'MeetingRestricted', message: 'The room is full' }
    return { kind: 'asked' }
  }

  async enter(signal: AbortSignal): Promise<EntryOutcome> {
    const snapshot = await this.#until((it) => it.phase === 'inside' || it.phase === 'over', signal)
    if (!snapshot) return { kind: 'never_admitted' }
    if (snapshot.phase === 'inside') return { kind: 'admitted' }
    if (snapshot.ending === 'refused') return { kind: 'refused' }
    return { kind: 'over', reason: 'MeetingEnded', message: 'The meeting ended before the bot was let in' }
  }

  events(): AsyncIterable<MeetingEvent> {
    return this.#queue
  }

  attendees(): Attendees {
    return { others: this.#others.map(participant), at: this.#now() }
  }

  write(text: string): Promise<void> {
    return this.#inTurn(() => this.#write(text))
  }

  async #write(text: string): Promise<void> {
    const { page } = this.page
    const chat = page.getByTestId('chat-text')
    if (!(await chat.isVisible())) await page.getByTestId('toggle-chat').click({ timeout: PRESS_WITHIN_MS })
    await chat.fill(text, { timeout: PRESS_WITHIN_MS })
    await page.getByTestId('chat-send').click({ timeout: PRESS_WITHIN_MS })
    // The room sends every line back to whoever wrote it: only then has it been taken.
    const shown = page.getByTestId('chat-line-text').filter({ hasText: text }).last()
    await shown.waitFor({ timeout: PRESS_WITHIN_MS }).catch((cause: unknown) => {
      throw new Failure('chat_failed', 'The chat of the room did not take the message', { cause })
    })
  }

  turn(device: 'microphone' | 'camera', on: boolean): Promise<void> {
    return this.#inTurn(() => this.#turn(device, on))
  }

  async #turn(device: 'microphone' | 'camera', on: boolean): Promise<void> {
    const button = this.page.page.getByTestId(device)
    if ((await button.getAttribute('aria-pressed', { timeout: PRESS_WITHIN_MS })) !== String(on))
      await button.click({ timeout: PRESS_WITHIN_MS })
    await this.page.page.locator(`[data-testid="${device}"][aria-pressed="${on}"]`).waitFor({ timeout: PRESS_WITHIN_MS })
  }

  async captions(): Promise<void> {
    throw new Failure('captions_failed', 'The built-in room has no captions')
  }

  async leave(how: 'politely' | 'at once'): Promise<void> {
    if (how === 'politely' && this.#snapshot?.phase === 'inside') {
      const left = this.#until((it) => it.phase === 'over', AbortSignal.timeout(LEAVE_WITHIN_MS))
      const pressed = this.page.page.getByTestId('leave').click({ timeout: LEAVE_WITHIN_MS })
      // Closing the page leaves as well; pressing the button only spares the others a frozen picture.
      await Promise.allSettled([pressed, left])
    }
    this.#snapshot = null
    this.#queue.end()
    await this.page.close()
  }

  /** The address holds the bot's token, so no message may show it: neither the browser's nor its cause. */
  async #open(address: URL): Promise<void> {
    const answer = await this.page.page.goto(address.href, { timeout: OPEN_WITHIN_MS }).catch((error: Error) => {
      if (this.page.died) throw new Failure('page_died', 'The page died')
      throw new Failure(
        'room_unreachable',
        `The page of the room could not be opened: ${/net::\w+/.exec(error.message)?.[0] ?? 'it did not load'}`,
      )
    })
    if (answer?.ok() === false) throw new Failure('room_unreachable', `The page of the room could not be opened: ${answer.status()}`)
  }

  /** Has the page tell of every change, with the state it led to. */
  async #follow(): Promise<void> {
    const { page } = this.page
    this.page.onDied(() => {
      // Nobody is left to press a button, and who waits for the page waits in vain.
      this.#snapshot = null
      this.#onSnapshot()
      this.#end('broken')
    })
    await page.exposeFunction('emissaryTell', (told: Told, snapshot: Snapshot) => this.#hear(told, snapshot))
    await page.addInitScript(() => {
      type Track = { readonly person: string; readonly kind: string; readonly track: { readonly id: string } }
      type Room = Record<string, unknown> & { readonly tracks: readonly Track[] }
      type Page = { emissaryRoom: Room; emissaryTell(told: unknown, snapshot: unknown): void }
      window.addEventListener('emissary-room', (event) => {
        const { emissaryRoom: room, emissaryTell } = window as unknown as Page
        const { kind, line } = (event as CustomEvent<{ kind: string; line?: unknown }>).detail
        const { phase, ending, self, people, speaking } = room
        const tracks = room.tracks.map(({ person, kind: shows, track }) => ({ id: track.id, person, kind: shows }))
        emissaryTell({ kind, line }, { phase, ending, self, people, speaking, tracks })
      })
    })
  }

  #hear({ kind, line }: Told, snapshot: Snapshot): void {
    this.#snapshot = snapshot
    this.#onSnapshot()
    const at = this.#now()
    const self = snapshot.self?.id
    if (self && snapshot.phase === 'inside') this.#others = snapshot.people.filter(({ id }) => id !== self)
    if (kind === 'track' || kind === 'people') this.#queue.push({ kind: 'tracks', tracks: snapshot.tracks.map(owner), at })
    if (kind === 'people' && self && snapshot.phase === 'inside') this.#queue.push({ kind: 'people', ...this.attendees() })
    if (kind === 'speaking') this.#queue.push({ kind: 'voice', speakers: snapshot.speaking.filter((id) => id !== self), at })
    if (line && line.from !== self) this.#queue.push({ kind: 'chat', from: line.from, name: line.name, text: line.text, at: line.at })
    if (snapshot.phase === 'over') this.#end(ENDINGS[snapshot.ending ?? 'lost'] ?? 'ended')
  }

  #end(how: 'ended' | 'removed' | 'lost' | 'broken'): void {
    this.#queue.push({ kind: 'ended', how, at: this.#now() })
    this.#queue.end()
  }

  /** The first snapshot that fits, or null when the signal comes first. */
  async #until(fits: (snapshot: Snapshot) => boolean, signal: AbortSignal): Promise<Snapshot | null> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        if (signal.aborted) resolve(null)
        else if (this.page.died) reject(new Failure('page_died', 'The page died'))
        else if (this.#snapshot && fits(this.#snapshot)) resolve(this.#snapshot)
      }
      this.#onSnapshot = look
      signal.addEventListener('abort', look)
      look()
    })
  }
}

const ENDINGS: Readonly<Record<string, 'ended' | 'removed' | 'lost'>> = {
  ended: 'ended',
  left: 'ended',
  removed: 'removed',
  lost: 'lost',
  link_expired: 'lost',
}
const KINDS: Readonly<Record<Snapshot['tracks'][number]['kind'], TrackKind>> = { microphone: 'audio', camera: 'camera', screen: 'screen' }

function owner({ id, person, kind }: Snapshot['tracks'][number]): TrackOwner {
  return { track: { kind: 'track', id }, participantId: person, kind: KINDS[kind] }
}

function participant({ id, name, host, media }: Person): Participant {
  return { id, name, isHost: host, microphoneOn: media.microphone, cameraOn: media.camera }
}
