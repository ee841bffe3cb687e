// The participants who joined, left or changed between two snapshots of a meeting.
import type { Participant } from './meeting.ts'

type ParticipantAction = 'join' | 'leave' | 'update'

/** `participant` is the state after the event; for `leave`, the last known state. */
export type ParticipantEvent = { readonly action: ParticipantAction; readonly participant: Participant }

/** The fields of an event. Changes of other fields are not reported. */
const SHOWN = ['name', 'isHost', 'microphoneOn', 'cameraOn'] as const satisfies readonly (keyof Participant)[]

/** First leaves, then updates, then joins, each in the order of its snapshot. */
export function participantEvents(before: readonly Participant[], after: readonly Participant[]): ParticipantEvent[] {
  const known = new Map(before.map((it) => [it.id, it]))
  // A page may list a participant twice for a moment. The last row is the newest.
  const there = new Map(after.map((it) => [it.id, it]))
  const left = before.filter(({ id }) => !there.has(id))
  const changed = [...there.values()].filter((it) => differs(known.get(it.id), it))
  const came = [...there.values()].filter(({ id }) => !known.has(id))
  return [...events('leave', left), ...events('update', changed), ...events('join', came)]
}

function differs(before: Participant | undefined, after: Participant): boolean {
  return before !== undefined && SHOWN.some((field) => before[field] !== after[field])
}

function events(action: ParticipantAction, people: readonly Participant[]): ParticipantEvent[] {
  return people.map((participant) => ({ action, participant }))
}
