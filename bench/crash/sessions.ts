/// <reference lib="dom" />
// The sessions of bots in one room, as a person in it sees them: when each began and ended, and whether two of one bot stood at once.
import type { Page } from 'playwright-core'
import type { PartInPage } from '../meeting-part.ts'

export type Session = {
  readonly bot: string
  readonly id: string
  readonly from: number
  /** When the person's sound began to flow to it. Null until then. */
  readonly hearsFrom: number | null
  /** Null while it is connected. */
  readonly to: number | null
}

type Seen = { readonly id: string; readonly name: string; readonly connected: boolean }
/** Everybody but the person whose page it is. */
type Roster = { readonly at: number; readonly others: readonly Seen[] }
type RoomPage = PartInPage & {
  readonly emissaryRoom: { readonly self: Seen | null; readonly people: readonly Seen[] }
  benchTell(roster: Roster): Promise<void>
  benchFlows(at: number): Promise<void>
}

export class Sessions {
  readonly #sessions = new Map<string, Session>()
  #doubles = 0

  /** Follows the room of this page from now on. */
  static async in(page: Page): Promise<Sessions> {
    const sessions = new Sessions()
    await page.exposeFunction('benchTell', (roster: Roster) => sessions.note(roster))
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
      const tell = () => {
        const { self, people } = room.emissaryRoom
        void room.benchTell({ at: Date.now(), others: people.filter(({ id }) => id !== self?.id).map((it) => ({ ...it })) })
      }
      window.addEventListener('emissary-room', tell)
      tell()
    })
    return sessions
  }

  /** How often a bot came while another session of it was connected. */
  doubles(): number {
    return this.#doubles
  }

  /** In the order in which they began. */
  of(bot: string): readonly Session[] {
    return [...this.#sessions.values()].filter((it) => it.bot === bot)
  }

  connected(bot: string): readonly Session[] {
    return this.of(bot).filter(({ to }) => to === null)
  }

  /** A connection for media stands: it is the one to the bot that came last. */
  flows(at: number): void {
    const session = [...this.#sessions.values()].findLast(({ to, hearsFrom }) => to === null && hearsFrom === null)
    if (session) this.#sessions.set(session.id, { ...session, hearsFrom: at })
  }

  /** The seat of a dropped connection is kept for a while: it is no session, but the connection may come back to it. */
  note({ at, others }: Roster): void {
    const present = others.filter(({ connected }) => connected)
    for (const it of this.#sessions.values()) {
      if (it.to === null && !present.some(({ id }) => id === it.id)) this.#sessions.set(it.id, { ...it, to: at })
    }
    for (const { id, name: bot } of present) {
      const known = this.#sessions.get(id)
      if (!known && this.connected(bot).length > 0) this.#doubles += 1
      if (!known || known.to !== null) this.#sessions.set(id, { hearsFrom: null, ...known, bot, id, from: known?.from ?? at, to: null })
    }
  }
}
