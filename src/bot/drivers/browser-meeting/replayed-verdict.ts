// The verdict that today's code reaches on recorded screens, by their recorded times.
import type { Page } from 'playwright-core'
import type { FieldStep } from '../../../domain/field-kit.ts'
import { CallWatch } from './call.ts'
import { DoorSigns } from './door-signs.ts'
import { DECIDED } from './enter.ts'
import type { Facts } from './facts.ts'
import type { ClientRoster, MeetingClient } from './meeting-client.ts'
import type { DoorSign } from './messages.ts'
import { PageLog } from './page-log.ts'
import type { Screen } from './page-rules.ts'
import { Patience } from './patience.ts'
import { screenFor } from './screens.ts'

type ScreenStep = Extract<FieldStep, { kind: 'screen' }>
type Seen = { readonly screen: Screen; readonly facts: Facts }

export class ReplayedVerdict {
  readonly #patience: Patience
  readonly #signs: DoorSigns
  readonly #log: PageLog
  #watch: CallWatch | null = null
  #now = 0
  #last: Seen | null = null
  #hasAsked = false
  #door: string | null = null
  #end: string | null = null

  constructor(client: Pick<MeetingClient, 'label' | 'pageRules' | 'joinRequest'>, page: Page) {
    this.#log = new PageLog(page, () => this.#now)
    this.#patience = new Patience(client.pageRules.verdicts)
    this.#signs = new DoorSigns(client, this.#log)
  }

  log(text: string, at: number): void {
    this.#now = at
    this.#log.add(text)
  }

  receive(sign: DoorSign): void {
    this.#signs.receive(sign)
  }

  see(
    { at, stage, hasAsked }: ScreenStep,
    seen: { readonly screen: Screen; readonly facts: Facts; readonly ownEnd: ClientRoster['ownEnd'] },
  ): void {
    this.#now = at
    if (stage === 'call') {
      this.#watch ??= new CallWatch(at)
      this.#end = this.#watch.see(seen.screen, seen.ownEnd, at)
      return
    }
    this.#hasAsked = hasAsked
    if (hasAsked) this.#signs.asked(at)
    // The earlier screen lasted until now.
    if (this.#last) this.#judge(this.#last, hasAsked)
    this.#judge(seen, hasAsked)
    this.#last = seen
  }

  /** A screen without a copy decides as it was recorded: a page changes most at the moment of admission. */
  trust({ at, stage, screen, hasAsked }: ScreenStep): void {
    this.#now = at
    if (stage === 'call') return
    this.#door = decisionOf(screen, hasAsked) ?? this.#door
    this.#last = null
  }

  #judge({ screen, facts }: Seen, hasAsked: boolean): void {
    const verdict = this.#signs.judge(this.#patience.see(screenFor(screen, true), facts, this.#now, hasAsked))
    this.#door = decisionOf(screen, hasAsked) ?? verdict?.reason ?? null
  }

  /** The verdict at this time. A wait that ended is no verdict of a screen, and no screen shows why the bot left by itself. */
  at(at: number, recorded: string): string {
    this.#now = at
    // The last screen lasted until now.
    if (this.#last && this.#door !== 'admitted') this.#judge(this.#last, this.#hasAsked)
    if (this.#door === null) return ['never_admitted', 'aborted', 'failed'].includes(recorded) ? recorded : 'none'
    if (this.#door !== 'admitted') return this.#door
    const [, end = 'stayed'] = recorded.split(', then ')
    return `admitted, then ${this.#end ?? (['stayed', 'broken', 'lost', 'stuck'].includes(end) ? end : 'stayed')}`
  }
}

/** What a screen before admission decides at once. */
function decisionOf(screen: string, hasAsked: boolean): string | undefined {
  if (screen === 'inside') return 'admitted'
  return hasAsked ? DECIDED[screen as Screen]?.kind : undefined
}
