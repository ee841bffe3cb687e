// The age of live audio and live transcript results at their receiver, from the speaker's track to the socket.
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { WebSocketServer } from 'ws'
import { loadNow } from '../harness/machine.ts'
import { atMost, none, type Report } from '../harness/report.ts'
import { type BenchServer, withServer } from '../harness/server.ts'
import { seededRandom, spreadOf } from '../harness/statistics.ts'
import { eventually, removeBot, sendBot, untilRecorded } from '../meeting/bots.ts'
import { launchPeopleBrowser, openMeeting } from '../meeting/room-meeting.ts'
import type { BenchOptions } from '../options.ts'
import { type Beeper, prepareBeeper } from './beeper.ts'
import { liveWords, type WordFigures } from './transcript.ts'

const BEEPS = 40
const PAUSE_MS = 600
/** Beeps start anywhere within a frame of 20 ms. */
const PAUSE_SPREAD_MS = 60
const RECEIVED_WITHIN_MS = 2_000
/** Amplitude of a 16-bit sample. A beep has ten times as much, and codec noise less. */
const LOUD = 1_500
const SPEAKERS = [1, 3] as const
const TWO_PEOPLE = { people: 2, width: 320, height: 180, framesPerSecond: 15, camera: true }

/** When frames arrived in which a beep starts. */
type Ear = { readonly url: string; readonly onsets: readonly number[]; frames(): number }

export function live(options: BenchOptions): Promise<Report> {
  return withServer(options, async (server) => {
    const before = loadNow()
    const meeting = await openMeeting(await launchPeopleBrowser(server), `${server.url}/room/live`, TWO_PEOPLE, { tone: null })
    const [speakersPage] = meeting.pages
    if (!speakersPage) throw new Error('bench: the meeting has no speaker')
    const ear = await listen(server)
    const attendance = await sendBot(server, meeting, { live_audio_required: { websocket_url: ear.url } })
    await untilRecorded(server, attendance)
    await eventually('live audio comes', async () => ear.frames() > 100)
    console.error(`${BEEPS} beeps`)
    const arrivals = await beeps(await prepareBeeper(speakersPage), ear)
    await removeBot(server, attendance.bot)
    await meeting.end()
    const words = new Map<number, WordFigures>()
    for (const people of SPEAKERS) {
      console.error(`live words of ${describePeople(people)}`)
      words.set(people, await liveWords(server, people))
    }
    const ages = arrivals.filter((age) => age !== null)
    const { p50, p95, max } = spreadOf(ages)
    return {
      figures: {
        'sound, from the track to the receiver': {
          beeps: { arrivals: ages.length, 'min ms': Math.min(...ages), 'p50 ms': p50, 'p95 ms': p95, 'max ms': max },
        },
        'words, from the last sound of a sentence to its final words': Object.fromEntries([...words].map(wordRow)),
        machine: { before, after: loadNow() },
      },
      budgets: [
        atMost('sound to PCM, p95', p95, 120, ' ms'),
        none('beeps that were not arrivals', BEEPS - ages.length),
        ...[...words].flatMap(wordBudgets),
      ],
    }
  })
}

const describePeople = (people: number): string => (people === 1 ? 'one person' : `${people} people in turn`)

function wordRow([people, { late, sentences, wrong, said }]: [number, WordFigures]) {
  const { p50, p95, max } = spreadOf(late)
  return [describePeople(people), { sentences, 'p50 s': p50, 'p95 s': p95, 'max s': max, 'words wrong %': (wrong / said) * 100 }] as const
}

function wordBudgets([people, { late, sentences }]: [number, WordFigures]) {
  return [
    atMost(`final words, ${describePeople(people)}, p50`, spreadOf(late).p50, 1.5, ' s'),
    none(`sentences without words, ${describePeople(people)}`, sentences - late.length),
  ]
}

/** The age of each beep in milliseconds, or null if it did not arrive. */
async function beeps(beeper: Beeper, { onsets }: Ear): Promise<readonly (number | null)[]> {
  const random = seededRandom(5)
  const arrivals: (number | null)[] = []
  while (arrivals.length < BEEPS) {
    await delay(PAUSE_MS + random() * PAUSE_SPREAD_MS)
    const known = onsets.length
    const beganAt = await beeper.beep()
    const deadline = performance.now() + RECEIVED_WITHIN_MS
    while (onsets.length === known && performance.now() < deadline) await delay(5)
    const onset = onsets[known]
    arrivals.push(onset === undefined ? null : onset - beganAt)
  }
  return arrivals
}

async function listen(server: BenchServer): Promise<Ear> {
  const sockets = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false })
  await new Promise((resolve) => sockets.once('listening', resolve))
  server.atEnd(async () => {
    for (const socket of sockets.clients) socket.terminate()
    sockets.close()
  })
  const onsets: number[] = []
  const loudNow = new Map<string, boolean>()
  let frames = 0
  sockets.on('connection', (socket) =>
    socket.on('message', (data: Buffer, isBinary) => {
      const arrivedAt = Date.now()
      if (!isBinary) return
      frames++
      const { speaker, pcm } = readFrame(data)
      const isLoud = holdsLoud(pcm)
      // The rest of a beep is loud too, but only its start counts.
      if (isLoud && !loudNow.get(speaker)) onsets.push(arrivedAt)
      loudNow.set(speaker, isLoud)
    }),
  )
  return { url: `ws://127.0.0.1:${(sockets.address() as AddressInfo).port}/`, onsets, frames: () => frames }
}

/** 0x01, then the speaker's id and name with their lengths, then samples. */
function readFrame(frame: Buffer): { readonly speaker: string; readonly pcm: Buffer } {
  const idEnd = 3 + frame.readUInt16LE(1)
  const nameEnd = idEnd + 2 + frame.readUInt16LE(idEnd)
  return { speaker: frame.toString('utf8', 3, idEnd), pcm: frame.subarray(nameEnd) }
}

function holdsLoud(pcm: Buffer): boolean {
  for (let at = 0; at + 1 < pcm.length; at += 2) if (Math.abs(pcm.readInt16LE(at)) > LOUD) return true
  return false
}
