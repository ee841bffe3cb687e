/// <reference lib="dom" />
// The sessions of bots in one room, as a person in it sees them: their start and end, and overlapping ones of the same bot.
import type { Page } from 'playwright-core'
import type { PageWithFakeDevices } from '../meeting/fake-devices.ts'

export type Session = {
  readonly bot: string
  readonly id: string
  readonly from: number
  /** When the person's audio began to flow to the bot. Null before that. */
  readonly audioFrom: number | null
  /** Null while it is connected. */
  readonly to: number | null
}

type RoomPerson = { readonly id: string; readonly name: string; readonly connected: boolean }
/** Everybody except the person whose page it is. */
type Roster = { readonly at: number; readonly others: readonly RoomPerson[] }
type RoomPage = PageWithFakeDevices & {
  readonly emissaryRoom: { readonly self: RoomPerson | null; readonly people: readonly RoomPerson[] }
  benchRoster(roster: Roster): Promise<void>
  benchFlows(at: number): Promise<void>
}

export class Sessions {
  readonly #sessions = new Map<string, Session>()
  #doubles = 0

  /** Starts to follow the room of this page. */
  static async in(page: Page): Promise<Sessions> {
    const sessions = new Sessions()
    await page.exposeFunction('benchRoster', (roster: Roster) => sessions.onRoster(roster))
    await page.exposeFunction('benchFlows', (at: number) => sessions.flows(at))
    await page.evaluate(() => {
      const room = window as unknown as RoomPage
      const flowing = new WeakSet<RTCPeerConnection>()
      setInterval(() => {
        for (const connection of room.benchConnections.filter((it) => it.connectionState === 'connected' && !flowing.has(it))) {
          flowing.add(connection)
          void room.benchFlows(Date.now())
        }
      }, 20)
      const send = () => {
        const { self, people } = room.emissaryRoom
        void room.benchRoster({ at: Date.now(), others: people.filter(({ id }) => id !== self?.id).map((it) => ({ ...it })) })
      }
      window.addEventListener('emissary-room', send)
      send()
    })
    return sessions
  }

  /** How often a bot joined while another session of it was connected. */
  doubles(): number {
    return this.#doubles
  }

  /** In the order of their start. */
  of(bot: string): readonly Session[] {
    return [...this.#sessions.values()].filter((it) => it.bot === bot)
  }

  connected(bot: string): readonly Session[] {
    return this.of(bot).filter(({ to }) => to === null)
  }

  /** A media connection is open. It belongs to the bot that joined last. */
  flows(at: number): void {
    const session = [...this.#sessions.values()].findLast(({ to, audioFrom }) => to === null && audioFrom === null)
    if (session) this.#sessions.set(session.id, { ...session, audioFrom: at })
  }

  /** The room keeps the seat of a dropped connection for a while. That is no session, but the connection may return to it. */
  onRoster({ at, others }: Roster): void {
    const present = others.filter(({ connected }) => connected)
    for (const it of this.#sessions.values()) {
      if (it.to === null && !present.some(({ id }) => id === it.id)) this.#sessions.set(it.id, { ...it, to: at })
    }
    for (const { id, name: bot } of present) {
      const known = this.#sessions.get(id)
      if (!known && this.connected(bot).length > 0) this.#doubles += 1
      if (!known || known.to !== null) this.#sessions.set(id, { audioFrom: null, ...known, bot, id, from: known?.from ?? at, to: null })
    }
  }
}
