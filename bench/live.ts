// How old sound and words are when they reach who listens live: from the speaker's track to samples and to final words at a socket.
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { WebSocketServer } from 'ws'
import { type Beeper, prepareBeeper } from './live-beeper.ts'
import { liveWords, type WordFigures } from './live-words.ts'
import { loadNow } from './machine.ts'
import { openMeeting, peoplesBrowser } from './meeting.ts'
import { eventually, removeBot, sendBot, untilRecorded } from './meeting-bots.ts'
import { atMost, none, type Report } from './report.ts'
import { type BenchOptions, type BenchServer, withServer } from './server.ts'
import { seededRandom, spreadOf } from './statistics.ts'

const BEEPS = 40
const PAUSE_MS = 600
/** So that beeps begin anywhere within a frame of 20 ms. */
const PAUSE_SPREAD_MS = 60
const HEARD_WITHIN_MS = 2_000
/** Of a sample of 16 bits; a beep has ten times as much, the noise of the codec before it does not. */
const LOUD = 1_500
const SPEAKERS = [1, 3] as const
const TWO_PEOPLE = { people: 2, width: 320, height: 180, framesPerSecond: 15, camera: true }

/** The moments at which frames came that begin to be loud. */
type Ear = { readonly url: string; readonly onsets: readonly number[]; frames(): number }

export function live(options: BenchOptions): Promise<Report> {
  return withServer(options, async (server) => {
    const before = loadNow()
    const meeting = await openMeeting(await peoplesBrowser(server), `${server.url}/room/live`, TWO_PEOPLE, null)
    const [speakersPage] = meeting.pages
    if (!speakersPage) throw new Error('bench: nobody is there to speak')
    const ear = await listen(server)
    const attendance = await sendBot(server, meeting, { live_audio_required: { websocket_url: ear.url } })
    await untilRecorded(server, attendance)
    await eventually('live audio comes', async () => ear.frames() > 100)
    console.error(`${BEEPS} beeps`)
    const heard = await beeps(await prepareBeeper(speakersPage), ear)
    await removeBot(server, attendance.bot)
    await meeting.end()
    const words = new Map<number, WordFigures>()
    for (const people of SPEAKERS) {
      console.error(`live words of ${whoOf(people)}`)
      words.set(people, await liveWords(server, people))
    }
    const ages = heard.filter((age) => age !== null)
    const { p50, p95, max } = spreadOf(ages)
    return {
      figures: {
        'sound, from the track to the receiver': {
          beeps: { heard: ages.length, 'min ms': Math.min(...ages), 'p50 ms': p50, 'p95 ms': p95, 'max ms': max },
        },
        'words, from the last sound of a sentence to its final words': Object.fromEntries([...words].map(wordRow)),
        machine: { before, after: loadNow() },
      },
      budgets: [
        atMost('sound to PCM, p95', p95, 120, ' ms'),
        none('beeps that were not heard', BEEPS - ages.length),
        ...[...words].flatMap(wordBudgets),
      ],
    }
  })
}

const whoOf = (people: number): string => (people === 1 ? 'one person' : `${people} people in turn`)

function wordRow([people, { late, sentences, wrong, said }]: [number, WordFigures]) {
  const { p50, p95, max } = spreadOf(late)
  return [whoOf(people), { sentences, 'p50 s': p50, 'p95 s': p95, 'max s': max, 'words wrong %': (wrong / said) * 100 }] as const
}

function wordBudgets([people, { late, sentences }]: [number, WordFigures]) {
  return [
    atMost(`final words, ${whoOf(people)}, p50`, spreadOf(late).p50, 1.5, ' s'),
    none(`sentences without words, ${whoOf(people)}`, sentences - late.length),
  ]
}

/** How old each was, in milliseconds; null where it was not heard. */
async function beeps(beeper: Beeper, { onsets }: Ear): Promise<readonly (number | null)[]> {
  const random = seededRandom(5)
  const heard: (number | null)[] = []
  while (heard.length < BEEPS) {
    await delay(PAUSE_MS + random() * PAUSE_SPREAD_MS)
    const known = onsets.length
    const beganAt = await beeper.beep()
    const deadline = performance.now() + HEARD_WITHIN_MS
    while (onsets.length === known && performance.now() < deadline) await delay(5)
    const onset = onsets[known]
    heard.push(onset === undefined ? null : onset - beganAt)
  }
  return heard
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
      const cameAt = Date.now()
      if (!isBinary) return
      frames++
      const { speaker, pcm } = readFrame(data)
      const isLoud = holdsLoud(pcm)
      // The rest of a beep is loud as well; only its beginning counts.
      if (isLoud && !loudNow.get(speaker)) onsets.push(cameAt)
      loudNow.set(speaker, isLoud)
    }),
  )
  return { url: `ws://127.0.0.1:${(sockets.address() as AddressInfo).port}/`, onsets, frames: () => frames }
}

/** 0x01, the speaker's id and name behind their lengths, then samples. */
function readFrame(frame: Buffer): { readonly speaker: string; readonly pcm: Buffer } {
  const idEnd = 3 + frame.readUInt16LE(1)
  const nameEnd = idEnd + 2 + frame.readUInt16LE(idEnd)
  return { speaker: frame.toString('utf8', 3, idEnd), pcm: frame.subarray(nameEnd) }
}

function holdsLoud(pcm: Buffer): boolean {
  for (let at = 0; at + 1 < pcm.length; at += 2) if (Math.abs(pcm.readInt16LE(at)) > LOUD) return true
  return false
}
