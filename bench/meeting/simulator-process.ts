// Shared by the processes of all simulated platforms: their participants, how lively ones act, and the commands of the bench.
import { setTimeout as delay } from 'node:timers/promises'
import { synthesise } from '../../src/speech/text-to-speech.ts'
import { SCRIPTS } from '../../test/helpers/speech/speech-native.ts'
import { seededRandom } from '../harness/statistics.ts'
import type { Sent } from './room-meeting.ts'
import type { Answer, FromSimulator, NumberedCommand, Opening, SimulatorFacts } from './simulator-messages.ts'

/** One participant for each. */
export const CAMERA_COLOURS = ['#8c4a3c', '#4a8c3c', '#3c4a8c', '#8c8c3c']
/** The simulators send a frame with every third audio packet. */
export const [PACKET_MS, FRAME_EVERY_MS] = [20, 60]
const MOST_GUESTS = 4
const TURN_MS = 1_500

type Actor = { say(wav: Buffer): Promise<unknown>; write(text: string): void; leave(): void }
type Stage = {
  readonly people: readonly Actor[]
  readonly join: (name: string) => Promise<Actor>
  /** A line of chat as the platform carries it. */
  readonly line?: (text: string) => string
}

/** Participants with a camera stay, so that the frames sent follow from the clock. Guests without one join and leave. */
export async function actLively({ people, join, line = (text) => text }: Stage, signal: AbortSignal): Promise<void> {
  const random = seededRandom(7)
  const any = <Thing>(things: readonly Thing[]): Thing => things[Math.floor(random() * things.length)] as Thing
  const clips = await Promise.all(
    Object.entries(SCRIPTS).flatMap(([voice, texts]) => texts.map((text) => synthesise({ text, voice, language: null }))),
  )
  const guests: Actor[] = []
  for (let turn = 0; !signal.aborted; turn++) {
    if (turn % 3 === 0) {
      if (guests.length >= MOST_GUESTS) guests.shift()?.leave()
      guests.push(await join(`Guest ${turn / 3 + 1}`))
    }
    const speakers = new Set([any(people), any(guests), any([...people, ...guests])])
    any(people).write(line(`Line ${turn}: ${'as people write '.repeat(1 + (turn % 5))}`))
    await Promise.all([...speakers].slice(0, 1 + (turn % 3)).map((person) => person.say(any(clips))))
    await delay(TURN_MS * random(), undefined, { signal }).catch(() => undefined)
  }
}

export type OpenMeeting = {
  readonly link: string
  /** Settles only with an error: a bench must not go on in a meeting whose participants have stopped. */
  readonly acting?: Promise<void>
  sent(): Sent
  end(): unknown
}

/** Executes the commands of the bench, until the bench has ended. */
export function serveCommands(facts: SimulatorFacts, open: (opening: Opening) => Promise<OpenMeeting>): void {
  const meetings = new Map<string, OpenMeeting>()
  const execute = async (command: NumberedCommand): Promise<Answer> => {
    if (command.kind === 'open') {
      const opened = await open(command)
      opened.acting?.catch((error: unknown) => process.exit(fail(error)))
      meetings.set(command.code, opened)
    }
    const meeting = meetings.get(command.code)
    if (command.kind === 'end') await meeting?.end()
    return { sent: command.kind === 'sent' ? (meeting?.sent() ?? null) : null, link: meeting?.link ?? null }
  }
  process.on('message', (command: NumberedCommand) => {
    execute(command).then(
      (answer) => process.send?.({ id: command.id, ...answer } satisfies FromSimulator),
      (error: unknown) => process.exit(fail(error)),
    )
  })
  process.on('disconnect', () => process.exit(0))
  process.send?.(facts satisfies FromSimulator)
}

function fail(error: unknown): number {
  console.error(error)
  return 1
}
