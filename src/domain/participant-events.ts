// Who came, who went and who changed between two looks at a meeting.
import type { Participant } from './meeting.ts'

export type ParticipantAction = 'join' | 'leave' | 'update'

/** `participant` as they are after it; of somebody who left, as they were last seen. */
export type ParticipantEvent = { readonly action: ParticipantAction; readonly participant: Participant }

/** What an event shows of a person. A change of anything else is no news. */
const SHOWN = ['name', 'isHost', 'microphoneOn', 'cameraOn'] as const satisfies readonly (keyof Participant)[]

/** Those who left, those who changed, those who came; each in the order of the look they are taken from. */
export function participantEvents(before: readonly Participant[], after: readonly Participant[]): ParticipantEvent[] {
  const known = new Map(before.map((it) => [it.id, it]))
  // A page may show somebody twice for a moment; the last row is the newest.
  const there = new Map(after.map((it) => [it.id, it]))
  const left = before.filter(({ id }) => !there.has(id))
  const changed = [...there.values()].filter((it) => differs(known.get(it.id), it))
  const came = [...there.values()].filter(({ id }) => !known.has(id))
  return [...told('leave', left), ...told('update', changed), ...told('join', came)]
}

function differs(before: Participant | undefined, after: Participant): boolean {
  return before !== undefined && SHOWN.some((field) => before[field] !== after[field])
}

function told(action: ParticipantAction, people: readonly Participant[]): ParticipantEvent[] {
  return people.map((participant) => ({ action, participant }))
}
