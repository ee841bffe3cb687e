// Keeps what is known of a meeting up to date, so that domain/reason-to-leave can judge it at any moment.
import type { OnlyBotsRule } from '../domain/automatic-leave.ts'
import type { MeetingEvent } from '../domain/meeting.ts'
import { areOnlyBots, type MeetingFacts } from '../domain/reason-to-leave.ts'

export type Watch = {
  see(event: MeetingEvent): void
  facts(now: number): MeetingFacts
}

type Known = Omit<MeetingFacts, 'now'>

export function createWatch(enteredAt: number, onlyBots: OnlyBotsRule | null): Watch {
  // Nobody has been seen yet; the roster comes with the first event.
  let known: Known = { enteredAt, everHadCompany: false, aloneSince: enteredAt, onlyBotsSince: null, lastMediaAt: null, lastVoiceAt: null }
  return {
    see(event) {
      known = { ...known, ...learned(known, event, onlyBots) }
    },
    facts: (now) => ({ ...known, now }),
  }
}

function learned(known: Known, event: MeetingEvent, onlyBots: OnlyBotsRule | null): Partial<Known> {
  if (event.kind === 'media') return { lastMediaAt: event.at }
  if (event.kind === 'voice') return event.speakers.length > 0 ? { lastVoiceAt: event.at } : {}
  if (event.kind !== 'people') return {}
  const names = event.others.map(({ name }) => name)
  return {
    everHadCompany: known.everHadCompany || names.length > 0,
    aloneSince: names.length > 0 ? null : (known.aloneSince ?? event.at),
    onlyBotsSince: onlyBots && areOnlyBots(names, onlyBots) ? (known.onlyBotsSince ?? event.at) : null,
  }
}
