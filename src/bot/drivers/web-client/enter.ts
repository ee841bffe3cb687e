// Waits at the door until the bot is admitted or refused, and clears what lies in front of the call.
import type { EntryOutcome } from '../../../domain/meeting.ts'
import { Patience } from './patience.ts'
import { Presses } from './steps.ts'
import { pause, type Tab } from './tab.ts'
import type { ControlName, PlatformTables, Screen } from './tables.ts'

const DECIDED: Partial<Readonly<Record<Screen, EntryOutcome>>> = {
  denied: { kind: 'refused' },
  // Google Meet says so at times to a bot whom the host has just denied.
  left: { kind: 'refused' },
  removed: { kind: 'refused' },
  unanswered: { kind: 'never_admitted' },
}

type EnterTools = { readonly tab: Tab; readonly tables: PlatformTables; readonly now: () => number }

export async function enter({ tab, tables, now }: EnterTools, signal: AbortSignal): Promise<EntryOutcome> {
  const patience = new Patience(tables.verdicts)
  const presses = new Presses()
  const inFront: Partial<Record<Screen, readonly ControlName[]>> = { waiting: tables.notices.waiting, inside: tables.notices.call }
  while (!signal.aborted) {
    const { facts, screen } = await tab.see('door')
    const decided = DECIDED[screen]
    if (decided) return decided
    const verdict = patience.see(screen, facts, now(), true)
    if (verdict) return { kind: 'over', ...verdict }
    const notice = presses.first(inFront[screen] ?? [], facts)
    if (screen === 'inside' && !notice) return { kind: 'admitted' }
    if (notice && (await tab.press(notice)) && screen === 'inside') presses.note(notice)
    await pause(signal)
  }
  return { kind: 'never_admitted' }
}
