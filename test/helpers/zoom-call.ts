// A driver in a simulated Zoom call, with the events that it has reported.
import { expect, onTestFinished } from 'vitest'
import type { Meeting } from '../../sims/zoom/zoom.ts'
import type { MeetingDriver } from '../../src/bot/drivers/driver.ts'
import type { EntryOutcome, MeetingEvent } from '../../src/domain/meeting.ts'

type Kind = MeetingEvent['kind']

export type JoinedCall = {
  readonly meeting: Meeting
  readonly driver: MeetingDriver
  readonly entry: EntryOutcome
  last<Name extends Kind>(kind: Name): Extract<MeetingEvent, { kind: Name }> | undefined
  of<Name extends Kind>(kind: Name): readonly Extract<MeetingEvent, { kind: Name }>[]
  names(): readonly string[]
}

/** Resolves when the driver is admitted. It leaves at the end of the test. */
export async function joinCall(meeting: Meeting, driver: MeetingDriver, withinMs: number): Promise<JoinedCall> {
  onTestFinished(() => driver.leave('at once'))
  const signal = AbortSignal.timeout(withinMs)
  expect(await driver.knock(signal)).toEqual({ kind: 'asked' })
  const entry = await driver.enter(signal)
  expect(entry).toMatchObject({ kind: 'admitted' })
  const events: MeetingEvent[] = []
  void (async () => {
    for await (const event of driver.events()) events.push(event)
  })()
  const of = <Name extends Kind>(kind: Name) => events.filter((it): it is Extract<MeetingEvent, { kind: Name }> => it.kind === kind)
  const names = () => driver.attendees().others.map(({ name }) => name)
  return { meeting, driver, entry, of, last: (kind) => of(kind).at(-1), names }
}

/** How a call ends, by the cause that the driver must report. */
export const ENDINGS = [
  ['removed', (meeting: Meeting) => meeting.remove()],
  ['ended', (meeting: Meeting) => meeting.end()],
] as const
