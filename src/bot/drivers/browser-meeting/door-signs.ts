// Reasons for a refusal that no screen shows: the platform dropped the page, limits requests, or suspects the browser.
import type { MeetingClient } from './meeting-client.ts'
import type { DoorSign } from './messages.ts'
import type { PageLog } from './page-log.ts'
import type { Verdict } from './patience.ts'

type Client = Pick<MeetingClient, 'label' | 'pageRules' | 'joinRequest'>

export class DoorSigns {
  readonly #client: Client
  readonly #log: PageLog
  #askedAt: number | null = null
  #isLimited = false
  #suspicion: string | null = null

  constructor(client: Client, log: PageLog) {
    this.#client = client
    this.#log = log
  }

  /** The bot has asked to join: later errors of its page belong to that request. */
  asked(at: number): void {
    this.#askedAt ??= at
  }

  get hasAsked(): boolean {
    return this.#askedAt !== null
  }

  /** Resets before another try. */
  forget(): void {
    this.#askedAt = null
    this.#isLimited = false
    this.#suspicion = null
  }

  receive({ sign, detail }: DoorSign): void {
    this.#log.add(`${this.#client.label}: ${detail}`)
    if (sign === 'limited') this.#isLimited = true
    if (sign === 'suspected') this.#suspicion = detail
  }

  /** `seen`: the verdict of the screen. */
  judge(seen: Verdict | null): Verdict | null {
    return this.#verdict() ?? (seen && this.#explained(seen))
  }

  /** Why the bot will not be admitted, although the page may still show its lobby. */
  #verdict(): Verdict | null {
    const { label, pageRules } = this.#client
    if (this.#askedAt === null) return null
    const error = this.#log.find(pageRules.fatalErrors ?? [], this.#askedAt)
    if (error) return this.#explained({ reason: 'JoinRefused', message: `${label} closed the page when the bot asked to join: ${error}` })
    if (!this.#isLimited) return null
    return this.#explained({ reason: 'JoinRefused', message: `${label} gets too many requests from this server or account (HTTP 429)` })
  }

  /** Adds the suspicion to the message of a refusal. */
  #explained(verdict: Verdict): Verdict {
    const { label, joinRequest } = this.#client
    if (!joinRequest || this.#suspicion === null || verdict.reason !== 'JoinRefused') return verdict
    return { ...verdict, message: `${label} treats this browser as suspicious. ${joinRequest.suspicionHelp} (${verdict.message})` }
  }
}
