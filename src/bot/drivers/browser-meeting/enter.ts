// Waits until the bot is admitted or refused, and dismisses notices in front of the call.
import type { EntryOutcome } from '../../../domain/meeting.ts'
import type { Facts } from './facts.ts'
import type { ControlName, Screen } from './page-rules.ts'
import { Presses } from './steps.ts'
import { type DoorTools, Visit } from './visit.ts'

/** Outcomes of screens after asking. */
export const DECIDED: Partial<Readonly<Record<Screen, EntryOutcome>>> = {
  denied: { kind: 'refused' },
  // Google Meet sometimes shows this to a bot that the host has just denied.
  left: { kind: 'refused' },
  removed: { kind: 'refused' },
  unanswered: { kind: 'never_admitted' },
}

export async function enter(tools: DoorTools, signal: AbortSignal): Promise<EntryOutcome> {
  const visit = new Visit(tools, tools.now())
  try {
    return await wait(tools, visit, signal)
  } finally {
    visit.end()
  }
}

async function wait({ tab, client }: DoorTools, visit: Visit, signal: AbortSignal): Promise<EntryOutcome> {
  const { waiting, call } = client.pageRules.notices
  const presses = new Presses()
  const inFront: Partial<Record<Screen, readonly ControlName[]>> = { waiting, early: waiting, inside: call }
  let isEarly = false
  while (!signal.aborted) {
    const { facts, screen } = await tab.see('door')
    isEarly = screen === 'early'
    const notice = presses.first(inFront[screen] ?? [], facts)
    const decided = decidedBy(visit, screen, facts, notice)
    if (decided) return decided
    // A platform may lose the request. Its page then offers the join button again.
    if (!notice) await visit.act(screen, facts, signal)
    else if ((await tab.press(notice)) && screen === 'inside') presses.count(notice, true)
    await tab.rest(signal)
  }
  return { kind: 'never_admitted', ...(isEarly && { isEarly }) }
}

/** Null: the bot may still be admitted. */
function decidedBy(visit: Visit, screen: Screen, facts: Facts, notice: ControlName | null): EntryOutcome | null {
  const verdict = visit.judge(screen, facts)
  if (screen === 'inside') return notice ? null : { kind: 'admitted' }
  // A page that was dropped may still show its lobby.
  return DECIDED[screen] ?? (verdict && { kind: 'over', reason: verdict.reason, message: verdict.message })
}
