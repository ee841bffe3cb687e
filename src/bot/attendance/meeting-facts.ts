// Tracks the facts of a meeting from which domain/reason-to-leave decides when to leave.
import type { OnlyBotsRule } from '../../domain/automatic-leave.ts'
import type { MeetingEvent } from '../../domain/meeting.ts'
import { areOnlyBots, type MeetingFacts } from '../../domain/reason-to-leave.ts'

export type MeetingFactsTracker = ReturnType<typeof trackMeetingFacts>

type Known = Omit<MeetingFacts, 'now' | 'lastMediaAt'>

type WatchOptions = { readonly enteredAt: number; readonly onlyBots: OnlyBotsRule | null; readonly asksToRecord: boolean }

export function trackMeetingFacts({ enteredAt, onlyBots, asksToRecord }: WatchOptions) {
  let known: Known = {
    // The bot is alone until the first roster.
    enteredAt,
    everHadCompany: false,
    aloneSince: enteredAt,
    onlyBotsSince: null,
    lastVoiceAt: null,
    permissionAskedAt: asksToRecord ? enteredAt : null,
  }
  return {
    onEvent(event: MeetingEvent): void {
      const isAllowed = event.kind === 'recording_permission' && event.state === 'allowed'
      known = { ...known, ...changesBy(known, event, onlyBots), ...(isAllowed && { permissionAskedAt: null }) }
    },
    /** `lastMediaAt` comes from the recording, as a check that does not depend on the roster. */
    facts: (now: number, lastMediaAt: number | null): MeetingFacts => ({ ...known, now, lastMediaAt }),
  }
}

function changesBy(known: Known, event: MeetingEvent, onlyBots: OnlyBotsRule | null): Partial<Known> {
  if (event.kind === 'voice') return event.speakers.length > 0 ? { lastVoiceAt: event.at } : {}
  if (event.kind !== 'people') return {}
  const names = event.others.map(({ name }) => name)
  return {
    everHadCompany: known.everHadCompany || names.length > 0,
    aloneSince: names.length > 0 ? null : (known.aloneSince ?? event.at),
    onlyBotsSince: onlyBots && areOnlyBots(names, onlyBots) ? (known.onlyBotsSince ?? event.at) : null,
  }
}
