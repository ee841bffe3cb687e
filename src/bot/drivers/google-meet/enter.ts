// Waits at the door until somebody decides, and clears what lies in front of the call.
import type { EntryOutcome } from '../../../domain/meeting.ts'
import { type Screen, screenOf } from './screens.ts'
import { INSIDE_NOTICES, Presses } from './steps.ts'
import { pause, type Tab } from './tab.ts'
import { Patience } from './verdicts.ts'

const DECIDED: Partial<Readonly<Record<Screen, EntryOutcome>>> = {
  denied: { kind: 'refused' },
  // Meet says so at times to somebody whom the host has just denied.
  left: { kind: 'refused' },
  removed: { kind: 'refused' },
  unanswered: { kind: 'never_admitted' },
}

const IN_FRONT: Partial<Readonly<Record<Screen, typeof INSIDE_NOTICES | readonly ['keepWaiting']>>> = {
  waiting: ['keepWaiting'],
  inside: INSIDE_NOTICES,
}

export async function enter(tab: Tab, now: () => number, signal: AbortSignal): Promise<EntryOutcome> {
  const patience = new Patience()
  const presses = new Presses()
  while (!signal.aborted) {
    const facts = await tab.look()
    const screen = screenOf(facts, 'door')
    const decided = DECIDED[screen]
    if (decided) return decided
    const verdict = patience.see(screen, facts, now(), true)
    if (verdict) return { kind: 'over', ...verdict }
    const notice = presses.first(IN_FRONT[screen] ?? [], facts)
    if (screen === 'inside' && !notice) return { kind: 'admitted' }
    if (notice && (await tab.press(notice)) && screen === 'inside') presses.note(notice)
    await pause(signal)
  }
  return { kind: 'never_admitted' }
}
