// Signs at the door that no screen shows: the platform dropped the page, limits its requests, or suspects the browser.
import type { DoorSign } from './messages.ts'
import type { PageLog } from './page-log.ts'
import type { Verdict } from './patience.ts'
import type { WebClient } from './web-client.ts'

export class DoorSigns {
  readonly #client: Pick<WebClient, 'label' | 'tables' | 'suspicionHelp'>
  readonly #log: PageLog
  #askedAt: number | null = null
  #isLimited = false
  #suspicion: string | null = null

  constructor(client: Pick<WebClient, 'label' | 'tables' | 'suspicionHelp'>, log: PageLog) {
    this.#client = client
    this.#log = log
  }

  /** The bot has asked to be let in: what its page complains of from now on has to do with it. */
  asked(at: number): void {
    this.#askedAt ??= at
  }

  /** For another try, with an account. */
  forget(): void {
    this.#askedAt = null
    this.#isLimited = false
    this.#suspicion = null
  }

  receive({ sign, detail }: DoorSign): void {
    this.#log.note(`${this.#client.label}: ${detail}`)
    if (sign === 'limited') this.#isLimited = true
    if (sign === 'suspected') this.#suspicion = detail
  }

  /** `seen`: what the screen says. */
  judge(seen: Verdict | null): Verdict | null {
    return this.#verdict() ?? (seen && this.#explained(seen))
  }

  /** Why the bot will not be let in, though the page may go on showing its lobby. */
  #verdict(): Verdict | null {
    const { label, tables } = this.#client
    if (this.#askedAt === null) return null
    const error = this.#log.find(tables.fatalErrors ?? [], this.#askedAt)
    if (error) return this.#explained({ reason: 'JoinRefused', message: `${label} dropped the bot when it asked to join: ${error}` })
    if (!this.#isLimited) return null
    return this.#explained({ reason: 'JoinRefused', message: `${label} gets too many requests from this server or account (HTTP 429)` })
  }

  /** A refusal of a browser that the platform suspects is explained by that. */
  #explained(verdict: Verdict): Verdict {
    const { label, suspicionHelp = '' } = this.#client
    if (this.#suspicion === null || verdict.reason !== 'JoinRefused') return verdict
    return { ...verdict, message: `${label} treats this browser as suspicious. ${suspicionHelp} (${verdict.message})` }
  }
}
