// The browsers that have opened one meeting's link. Each is known by a cookie, which a new context lacks.
// The browsers that have opened one meeting's link, by a cookie: a new context has none.
import type { Scenario } from './scenario.ts'

const COOKIE = /(?:^|;\s*)MEET_BROWSER=(\d+)/

export class Browsers {
  readonly #turnsAway: Scenario['turnsAway']
  readonly #path: string
  count = 0

  constructor(turnsAway: Scenario['turnsAway'], path: string) {
    this.#turnsAway = turnsAway
    this.#path = path
  }

  receive(cookies: string, hasSession: boolean): { readonly isTurnedAway: boolean; readonly cookie: string | null } {
    const known = COOKIE.exec(cookies)?.[1]
    if (!known) this.count += 1
    const number = Number(known ?? this.count)
    const isTurnedAway = this.#turnsAway === 'guests' ? !hasSession : number <= this.#turnsAway
    return { isTurnedAway, cookie: known ? null : `MEET_BROWSER=${number}; Path=${this.#path}; Secure; HttpOnly` }
  }
}
