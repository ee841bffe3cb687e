// Opens the meeting's page for `emissary doctor` and stops before asking to join.
import type { Door } from '../../../domain/doctor.ts'
import type { Facts } from './facts.ts'
import { ruleOf } from './screens.ts'
import type { PlatformTables, Screen } from './tables.ts'
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

export async function approach({ tab, client: given, ...others }: DoorTools, signal: AbortSignal): Promise<Door> {
  const client = { ...given, addressOf: given.doorOf ?? given.addressOf }
  const tools = { ...others, tab, client }
  const unreachable = await openDoor(tools)
  if (unreachable) return { screen: 'unreachable', rule: unreachable.message, next: `end as ${unreachable.reason}`, leadsIn: false }
  const visit = new Visit(tools)
  try {
    for (;;) {
      const { facts, screen } = await tab.see('door')
      const next = nextOf(visit, screen, facts) ?? (signal.aborted ? inTime(client.tables, screen) : null)
      if (next) return { screen, rule: ruleInWords(client.tables, ruleOf(facts, client.tables, 'door')), ...next }
      await visit.act(screen, facts)
      await tab.rest(signal)
    }
  } finally {
    visit.end()
  }
}

/** Null while there are steps left before the bot would ask to join. */
function nextOf(visit: Visit, screen: Screen, facts: Facts): Next | null {
  const verdict = visit.judge(screen, facts)
  if (verdict) return { next: `end as ${verdict.reason}: ${verdict.message}`, leadsIn: false }
  const step = screen === 'prejoin' ? visit.nextStep(facts) : null
  if (step?.kind === 'press' && step.control === 'join') return { next: 'press the button that asks to join', leadsIn: true }
  return NEXT[screen] ?? null
}

function ruleInWords({ screens }: PlatformTables, rule: ReturnType<typeof ruleOf>): string {
  return rule ? `rule ${screens.door.indexOf(rule) + 1} of the door: ${JSON.stringify(rule.when)}` : 'no rule of the door holds'
}

function inTime({ verdicts }: PlatformTables, screen: Screen): Next {
  const row = verdicts[screen]
  return { next: row ? `look again, and end as ${row.reason} where this stays for ${row.afterSeconds} s` : 'look again', leadsIn: false }
}
