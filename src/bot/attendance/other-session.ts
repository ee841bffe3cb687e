// The bot's other session during a planned hand-over: for some seconds two sessions of the bot are in the meeting, and neither counts the other.
import type { Attendees, MeetingEvent, Participant } from '../../domain/meeting.ts'
import type { MeetingDriver } from '../drivers/driver.ts'

/** Longer than a hand-over may take. */
const EXPECTED_MS = 120_000

export type OtherSession = ReturnType<typeof createOtherSession>

type OtherSessionOptions = {
  /** The name of the bot, which both sessions have. */
  readonly name: string
  readonly now: () => number
  /** The participant is the other session. Called once for each. */
  readonly onSeen: (participantId: string) => void
}

export function createOtherSession({ name, now, onSeen }: OtherSessionOptions) {
  const seen = new Set<string>()
  let known: ReadonlySet<string> = new Set()
  let untilMs = Number.NEGATIVE_INFINITY

  function isOther({ id, name: shown }: Participant): boolean {
    if (seen.has(id)) return true
    if (now() > untilMs || known.has(id) || shown.trim() !== name.trim()) return false
    seen.add(id)
    onSeen(id)
    return true
  }

  function without<Seen extends Attendees>(attendees: Seen): Seen {
    const others = attendees.others.filter((it) => !isOther(it))
    return others.length === attendees.others.length ? attendees : { ...attendees, others }
  }

  /** Null: the event is of the other session only. */
  function withoutEvent(event: MeetingEvent): MeetingEvent | null {
    if (event.kind === 'people') return without(event)
    if (event.kind === 'voice') return { ...event, speakers: event.speakers.filter((id) => !seen.has(id)) }
    return 'from' in event && seen.has(event.from) ? null : event
  }

  return {
    /** From now on a participant with the bot's name is the other session, unless it is one of these. */
    expect(participants: readonly Pick<Participant, 'id'>[]): void {
      known = new Set(participants.map(({ id }) => id))
      untilMs = now() + EXPECTED_MS
    },
    has: (participantId: string | null): boolean => participantId !== null && seen.has(participantId),
    /** The driver without the other session. The owners of tracks stay, so that its sound and picture are known. */
    hideFrom(driver: MeetingDriver): MeetingDriver {
      return {
        page: driver.page,
        approach: (signal) => driver.approach(signal),
        knock: (signal) => driver.knock(signal),
        enter: (signal) => driver.enter(signal),
        write: (text) => driver.write(text),
        turn: (device, on) => driver.turn(device, on),
        captions: (language) => driver.captions(language),
        leave: (manner) => driver.leave(manner),
        attendees: () => without(driver.attendees()),
        async *events() {
          for await (const event of driver.events()) {
            const shown = withoutEvent(event)
            if (shown) yield shown
          }
        },
      }
    },
  }
}
