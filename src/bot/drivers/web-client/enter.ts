// Waits at the door until the bot is admitted or refused, and clears what lies in front of the call.
import type { EntryOutcome } from '../../../domain/meeting.ts'
import type { DoorSigns } from './door-signs.ts'
import type { Facts } from './facts.ts'
import { Patience } from './patience.ts'
import { screenFor } from './screens.ts'
import { Presses } from './steps.ts'
import type { Tab } from './tab.ts'
import type { ControlName, PlatformTables, Screen } from './tables.ts'

const DECIDED: Partial<Readonly<Record<Screen, EntryOutcome>>> = {
  denied: { kind: 'refused' },
  // Google Meet says so at times to a bot whom the host has just denied.
  left: { kind: 'refused' },
  removed: { kind: 'refused' },
  unanswered: { kind: 'never_admitted' },
}

type EnterTools = {
  readonly tab: Tab
  readonly tables: PlatformTables
  readonly signs: DoorSigns
  /** The bot has no account to join with. */
  readonly isGuest: boolean
  readonly now: () => number
}

export async function enter(tools: EnterTools, signal: AbortSignal): Promise<EntryOutcome> {
  const { tab, tables } = tools
  const patience = new Patience(tables.verdicts)
  const presses = new Presses()
  const inFront: Partial<Record<Screen, readonly ControlName[]>> = { waiting: tables.notices.waiting, inside: tables.notices.call }
  while (!signal.aborted) {
    const { facts, screen } = await tab.see('door')
    const decided = DECIDED[screen] ?? overBy(tools, patience, { facts, screen })
    if (decided) return decided
    const notice = presses.first(inFront[screen] ?? [], facts)
    if (screen === 'inside' && !notice) return { kind: 'admitted' }
    if (notice && (await tab.press(notice)) && screen === 'inside') presses.note(notice)
    await tab.rest(signal)
  }
  return { kind: 'never_admitted' }
}

type Seen = { readonly facts: Facts; readonly screen: Screen }

/** Null: the bot may still be let in, or is. */
function overBy({ signs, isGuest, now }: EnterTools, patience: Patience, { facts, screen }: Seen): EntryOutcome | null {
  const seen = patience.see(screenFor(screen, isGuest), facts, now(), true)
  // A page that was dropped may go on showing its lobby.
  const verdict = screen === 'inside' ? null : signs.judge(seen)
  return verdict && { kind: 'over', ...verdict }
}
