// Keeps what is known of a meeting up to date, so that domain/reason-to-leave can judge it at any moment.
import type { OnlyBotsRule } from '../domain/automatic-leave.ts'
import type { MeetingEvent } from '../domain/meeting.ts'
import { areOnlyBots, type MeetingFacts } from '../domain/reason-to-leave.ts'

export type Watch = {
  see(event: MeetingEvent): void
  /** The media's own signal comes from the recording, because the roster must not vouch for itself. */
  facts(now: number, lastMediaAt: number | null): MeetingFacts
}

type Known = Omit<MeetingFacts, 'now' | 'lastMediaAt'>

type WatchOptions = { readonly enteredAt: number; readonly onlyBots: OnlyBotsRule | null; readonly asksToRecord: boolean }

export function createWatch({ enteredAt, onlyBots, asksToRecord }: WatchOptions): Watch {
  let known: Known = {
    // Nobody has been seen yet; the roster comes with the first event.
    ...{ enteredAt, everHadCompany: false, aloneSince: enteredAt, onlyBotsSince: null, lastVoiceAt: null },
    permissionAskedAt: asksToRecord ? enteredAt : null,
  }
  return {
    see(event) {
      const isAllowed = event.kind === 'recording_permission' && event.state === 'allowed'
      known = { ...known, ...learned(known, event, onlyBots), ...(isAllowed && { permissionAskedAt: null }) }
    },
    facts: (now, lastMediaAt) => ({ ...known, now, lastMediaAt }),
  }
}

function learned(known: Known, event: MeetingEvent, onlyBots: OnlyBotsRule | null): Partial<Known> {
  if (event.kind === 'voice') return event.speakers.length > 0 ? { lastVoiceAt: event.at } : {}
  if (event.kind !== 'people') return {}
  const names = event.others.map(({ name }) => name)
  return {
    everHadCompany: known.everHadCompany || names.length > 0,
    aloneSince: names.length > 0 ? null : (known.aloneSince ?? event.at),
    onlyBotsSince: onlyBots && areOnlyBots(names, onlyBots) ? (known.onlyBotsSince ?? event.at) : null,
  }
}
