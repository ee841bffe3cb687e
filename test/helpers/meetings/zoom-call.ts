// A driver in a simulated Zoom call, with the events that it has reported.
import { expect, onTestFinished } from 'vitest'
import type { ScriptedPerson } from '../../../sims/zoom/call/types.ts'
import type { Meeting } from '../../../sims/zoom/zoom.ts'
import type { MeetingDriver } from '../../../src/bot/drivers/driver.ts'
import type { EntryOutcome, MeetingEvent } from '../../../src/domain/meeting.ts'
import { until } from '../until.ts'

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

/** Her camera, her screen, her new name and her leaving are reported. */
export async function reportsPerson({ names, last }: JoinedCall, ann: ScriptedPerson, withinMs: number): Promise<void> {
  const shows = (kind: string) => last('tracks')?.tracks.some((it) => it.participantId === String(ann.userId) && it.kind === kind)
  await until('her camera has a track', () => shows('camera'), withinMs)
  await ann.share('#f4f4f4')
  await until('her screen has a track', () => shows('screen'), withinMs)
  ann.rename('Anna')
  await until('her new name is known', () => names().join() === 'Anna', withinMs)
  ann.leave()
  await until('she is gone', () => names().length === 0, withinMs)
}

/** Two dialogs are closed, and the interim and the final caption of one line are reported, for a person named Ann. */
export async function reportsCaptions({ meeting, driver, of }: JoinedCall, ann: ScriptedPerson, withinMs: number): Promise<void> {
  await driver.captions(null)
  const hasPressed = (wanted: string) => meeting.pressed.some(({ control }) => control === wanted)
  for (const control of ['caption-language-save', 'transcribed-ok'])
    await until(`it has pressed ${control}`, () => hasPressed(control), withinMs)
  ann.caption({ text: 'Good', final: false, captionId: 'one' })
  ann.caption({ text: 'Good morning', captionId: 'one' })
  await until('both captions are reported', () => of('caption').length === 2, withinMs)
  expect(of('caption')).toMatchObject([
    { from: String(ann.userId), text: 'Good', final: false },
    { from: String(ann.userId), name: 'Ann', text: 'Good morning', final: true },
  ])
}

export async function turnsMicrophoneOnAndOff({ driver, meeting }: JoinedCall, withinMs: number): Promise<void> {
  await driver.turn('microphone', true)
  await until('it is on', () => meeting.state()?.muted === false, withinMs)
  await driver.turn('microphone', false)
  await until('it is off', () => meeting.state()?.muted === true, withinMs)
}

/** A person joins while the network is lost, and is in the roster after its return. */
export async function noticesJoinWhileOffline({ meeting, names }: JoinedCall, name: string, withinMs: number): Promise<void> {
  meeting.dropNetwork()
  await meeting.call.join({ name })
  meeting.restoreNetwork()
  await until(`${name} is in the roster`, () => names().includes(name), withinMs)
}

/** How a call ends, by the cause that the driver must report. */
export const ENDINGS = [
  ['removed', (meeting: Meeting) => meeting.remove()],
  ['ended', (meeting: Meeting) => meeting.end()],
] as const
