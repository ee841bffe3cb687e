// Google Meet for measured bots: the simulator and its people, in a process of its own whose cost nobody counts. Its parent says what to do.
import { setTimeout as delay } from 'node:timers/promises'
import { type Scenario, startMeet } from '../sims/google-meet/meet.ts'
import type { MeetSpace, ScriptedPerson } from '../sims/google-meet/sfu/words.ts'
import { sayAloud } from '../src/speech/voice.ts'
import { SCRIPTS } from '../test/helpers/speech-native.ts'
import type { Sent } from './meeting.ts'
import { seededRandom } from './statistics.ts'

export type MediaPath = Scenario['media']

/** `lively`: they talk, come and go and write, and the lanes never stay with one of them. Else three hum all the time. */
export type Opening = {
  readonly code: string
  readonly width: number
  readonly height: number
  readonly lively: boolean
  readonly media: MediaPath
}
export type Order = { readonly id: number } & (
  | ({ readonly say: 'open' } & Opening)
  | { readonly say: 'sent' | 'end'; readonly code: string }
)
export type FromMeet =
  | { readonly flags: readonly string[] }
  | { readonly id: number; readonly sent: Sent | null; readonly link: string | null }

const CAMERAS = ['#8c4a3c', '#4a8c3c', '#3c4a8c', '#8c8c3c']
const HUMS = [300, 470, 640]
/** The simulator's: every third packet of 20 ms. */
const PICTURE_EVERY_MS = 60
const GUESTS = 4
const TURN_MS = 1_500

type Held = { readonly space: MeetSpace; readonly openedMs: number; readonly counts: { packets: number }; readonly ended: AbortController }

const meet = await startMeet()
const meetings = new Map<string, Held>()

async function open({ code, width, height, lively, media }: Opening): Promise<void> {
  const counts = { packets: 0 }
  const sources = (own: number) => {
    counts.packets++
    return [own]
  }
  const usual = { dtx: true, red: true, sources, ...(lively && { switchLanesEveryMs: 1_000 }) }
  const { space } = meet.meeting(code, { knock: 'admitted', devicesOn: false, media, space: usual })
  const people = await Promise.all(
    CAMERAS.map(async (colour, index) => {
      const [name, voice] = [`Person ${index + 1}`, lively ? undefined : HUMS[index]]
      const person = await space.join({ name, colour, ...(voice !== undefined && { voice }) })
      await person.resize({ width, height })
      return person
    }),
  )
  const held = { space, openedMs: Date.now(), counts, ended: new AbortController() }
  meetings.set(code, held)
  // A meeting that fails to go on is not what was to be measured.
  if (lively) live(held, people).catch((error: unknown) => process.exit(fail(error)))
}

/** Cameras stay, so that every picture that is sent can be counted by the clock. Who has none comes and goes. */
async function live({ space, ended: { signal } }: Held, people: readonly ScriptedPerson[]): Promise<void> {
  const random = seededRandom(7)
  const any = <Thing>(things: readonly Thing[]): Thing => things[Math.floor(random() * things.length)] as Thing
  const said = Object.entries(SCRIPTS).flatMap(([voice, texts]) => texts.map((text) => sayAloud({ text, voice, language: null })))
  const clips = await Promise.all(said)
  const guests: ScriptedPerson[] = []
  for (let turn = 0; !signal.aborted; turn++) {
    if (turn % 3 === 0) {
      if (guests.length >= GUESTS) guests.shift()?.leave()
      guests.push(await space.join({ name: `Guest ${turn / 3 + 1}` }))
    }
    const speakers = new Set([any(people), any(guests), any([...people, ...guests])])
    any(people).write(`Line ${turn}: ${'as people write '.repeat(1 + (turn % 5))}`)
    await Promise.all([...speakers].slice(0, 1 + (turn % 3)).map((person) => person.say(any(clips))))
    // Nobody speaks for ever, and nobody need be waited for who has ended.
    await delay(TURN_MS * random(), undefined, { signal }).catch(() => undefined)
  }
}

function sentIn({ openedMs, counts }: Held): Sent {
  const atMs = Date.now()
  return { pictures: CAMERAS.length * Math.floor((atMs - openedMs) / PICTURE_EVERY_MS), packets: counts.packets, bytes: null, atMs }
}

async function obey(order: Order): Promise<Sent | null> {
  if (order.say === 'open') await open(order)
  const held = meetings.get(order.code)
  if (order.say === 'sent') return held ? sentIn(held) : null
  if (order.say === 'end') {
    held?.ended.abort()
    await held?.space.close()
  }
  return null
}

function fail(error: unknown): number {
  console.error(error)
  return 1
}

process.on('message', (order: Order) => {
  obey(order).then(
    (sent) => process.send?.({ id: order.id, sent, link: `https://meet.google.com/${order.code}` } satisfies FromMeet),
    (error: unknown) => process.exit(fail(error)),
  )
})
// Whoever asked for it is gone.
process.on('disconnect', () => process.exit(0))
process.send?.({ flags: meet.flags } satisfies FromMeet)
