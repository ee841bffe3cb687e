// Opens the meeting's page for `emissary doctor` and stops before asking to join.
import type { Door } from '../../../domain/doctor.ts'
import type { Facts } from './facts.ts'
import type { PageRules, Screen } from './page-rules.ts'
import { ruleOf } from './screens.ts'
import { type DoorTools, openDoor, Visit } from './visit.ts'

type Next = Pick<Door, 'next' | 'leadsIn'>

/** The bot's next action on screens where it presses nothing. */
const NEXT: Partial<Readonly<Record<Screen, Next>>> = {
  inside: { next: 'record: it is inside without having asked', leadsIn: true },
  waiting: { next: 'wait until it is let in', leadsIn: true },
  early: { next: 'wait for the meeting to start', leadsIn: true },
  not_started: { next: 'wait for the host, as long as in the waiting room', leadsIn: true },
  denied: { next: 'end as Denied', leadsIn: false },
  unanswered: { next: 'end as NotAllowed', leadsIn: false },
  left: { next: 'end as Denied', leadsIn: false },
}

export async function approach(given: DoorTools, signal: AbortSignal): Promise<Door> {
  const { tab, client } = given
  const tools: DoorTools = { ...given, purpose: 'look' }
  const unreachable = await openDoor(tools, signal)
  if (unreachable) return { screen: 'unreachable', rule: unreachable.message, next: `end as ${unreachable.reason}`, leadsIn: false }
  const visit = new Visit(tools)
  try {
    for (;;) {
      const { facts, screen } = await tab.see('door')
      const next = nextOf(visit, screen, facts) ?? (signal.aborted ? inTime(client.pageRules, screen) : null)
      if (next) return { screen, rule: ruleInWords(client.pageRules, ruleOf(facts, client.pageRules, 'door')), ...next }
      await visit.act(screen, facts, signal)
      await tab.rest(signal)
    }
  } finally {
    visit.end()
  }
}

/** Null while there are steps left before the bot would ask to join. */
function nextOf(visit: Visit, screen: Screen, facts: Facts): Next | null {
  const verdict = visit.judge(screen, facts)
  if (verdict) {
    const end = `end as ${verdict.reason}: ${verdict.message}`
    return { next: verdict.tryAfresh ? `try fresh browsers, then ${end}` : end, leadsIn: false }
  }
  const step = screen === 'prejoin' ? visit.nextStep(facts) : null
  if (step?.kind === 'press' && step.control === 'join') return { next: 'press the button that asks to join', leadsIn: true }
  return NEXT[screen] ?? null
}

function ruleInWords({ screens }: PageRules, rule: ReturnType<typeof ruleOf>): string {
  return rule ? `rule ${screens.door.indexOf(rule) + 1} of the door: ${JSON.stringify(rule.when)}` : 'no rule of the door holds'
}

function inTime({ verdicts }: PageRules, screen: Screen): Next {
  const rule = verdicts[screen]
  return { next: rule ? `look again, and end as ${rule.reason} where this stays for ${rule.afterSeconds} s` : 'look again', leadsIn: false }
}
