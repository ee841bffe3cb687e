// Microsoft Teams for measured bots: the simulator and its people, in a process of its own whose cost nobody counts.
import { setTimeout as delay } from 'node:timers/promises'
import type { Call, ScriptedPerson } from '../sims/teams/call/types.ts'
import { type Meeting, startTeams } from '../sims/teams/teams.ts'
import { sayAloud } from '../src/speech/voice.ts'
import { SCRIPTS } from '../test/helpers/speech-native.ts'
import type { FromMeet, Opening, Order } from './meet-people.ts'
import type { Sent } from './meeting.ts'
import { seededRandom } from './statistics.ts'

const CAMERAS = ['#8c4a3c', '#4a8c3c', '#3c4a8c', '#8c8c3c']
/** More than one, and so nobody's: the mix is one sound without an end. */
const HUMS = [300, 470, 640]
/** The simulator's: every third packet of 20 ms. */
const [PACKET_MS, PICTURE_EVERY_MS] = [20, 60]
const GUESTS = 4
const TURN_MS = 1_500

type Held = { readonly meeting: Meeting; readonly openedMs: number; readonly ended: AbortController }

const teams = await startTeams()
const meetings = new Map<string, Held>()

async function open({ code, lively }: Opening): Promise<void> {
  const call = { videoSlots: CAMERAS.length }
  const meeting = teams.meeting({ knock: 'admitted', launcher: 'skipped', devicesOn: false, call })
  const people = await Promise.all(
    CAMERAS.map((colour, index) => {
      const voice = lively ? undefined : HUMS[index]
      return meeting.call.join({ name: `Person ${index + 1}`, colour, ...(voice !== undefined && { voice }) })
    }),
  )
  const held = { meeting, openedMs: Date.now(), ended: new AbortController() }
  meetings.set(code, held)
  // A meeting that fails to go on is not what was to be measured.
  if (lively) live(meeting.call, people, held.ended.signal).catch((error: unknown) => process.exit(fail(error)))
}

/** Cameras stay, so that every picture that is sent can be counted by the clock. Who has none comes and goes. */
async function live(call: Call, people: readonly ScriptedPerson[], signal: AbortSignal): Promise<void> {
  const random = seededRandom(7)
  const any = <Thing>(things: readonly Thing[]): Thing => things[Math.floor(random() * things.length)] as Thing
  const said = Object.entries(SCRIPTS).flatMap(([voice, texts]) => texts.map((text) => sayAloud({ text, voice, language: null })))
  const clips = await Promise.all(said)
  const guests: ScriptedPerson[] = []
  for (let turn = 0; !signal.aborted; turn++) {
    if (turn % 3 === 0) {
      if (guests.length >= GUESTS) guests.shift()?.leave()
      guests.push(await call.join({ name: `Guest ${turn / 3 + 1}` }))
    }
    const speakers = new Set([any(people), any(guests), any([...people, ...guests])])
    any(people).write(`<p>Line ${turn}: ${'as people write '.repeat(1 + (turn % 5))}</p>`)
    await Promise.all([...speakers].slice(0, 1 + (turn % 3)).map((person) => person.say(any(clips))))
    await delay(TURN_MS * random(), undefined, { signal }).catch(() => undefined)
  }
}

/** The mix is sent without a pause. */
function sentIn({ openedMs }: Held): Sent {
  const atMs = Date.now()
  const since = atMs - openedMs
  return { pictures: CAMERAS.length * Math.floor(since / PICTURE_EVERY_MS), packets: Math.floor(since / PACKET_MS), bytes: null, atMs }
}

async function obey(order: Order): Promise<Omit<Extract<FromMeet, { id: number }>, 'id'>> {
  if (order.say === 'open') await open(order)
  const held = meetings.get(order.code)
  if (order.say === 'end') {
    held?.ended.abort()
    held?.meeting.end()
  }
  return { sent: order.say === 'sent' && held ? sentIn(held) : null, link: held?.meeting.url ?? null }
}

function fail(error: unknown): number {
  console.error(error)
  return 1
}

process.on('message', (order: Order) => {
  obey(order).then(
    (answer) => process.send?.({ id: order.id, ...answer } satisfies FromMeet),
    (error: unknown) => process.exit(fail(error)),
  )
})
// Whoever asked for it is gone.
process.on('disconnect', () => process.exit(0))
process.send?.({ flags: teams.flags } satisfies FromMeet)
