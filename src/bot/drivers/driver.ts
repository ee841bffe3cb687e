// What every platform's driver can do. It is small on purpose: the story is told in session.ts.
import type { EntryOutcome, KnockOutcome, MeetingCommand, MeetingEvent, Roster } from '../../domain/meeting.ts'

export interface MeetingDriver {
  /** Goes to the meeting and asks to be let in. */
  knock(signal: AbortSignal): Promise<KnockOutcome>
  /** Waits at the door. Where there is none, answers at once. `never_admitted` when the signal comes first. */
  enter(signal: AbortSignal): Promise<EntryOutcome>
  /** Begins inside. Ends by itself after an `ended` event. */
  events(): AsyncIterable<MeetingEvent>
  /** Who is there at this moment. */
  roster(): Roster
  /** Settles when the meeting has taken it. */
  perform(command: MeetingCommand): Promise<void>
  /** What the page says in words, for the evidence of a failure. */
  pageText(): Promise<string | null>
  /** Leaves as a person would, and closes the page whatever happens. Safe to call twice. */
  leave(): Promise<void>
}
