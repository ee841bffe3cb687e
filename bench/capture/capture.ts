// The cost of a recording bot, compared with the usual screen recording. Both are measured in turns in the same run.
import { setTimeout as delay } from 'node:timers/promises'
import { loadNow } from '../harness/machine.ts'
import { type Cost, measure } from '../harness/processes.ts'
import { preparePrograms } from '../harness/programs.ts'
import type { Report } from '../harness/report.ts'
import { type BenchServer, withServer } from '../harness/server.ts'
import { recordedDuring, removeBot, sendBot, untilDone, untilSettled, workersOf } from '../meeting/bots.ts'
import type { Meeting, MeetingSize } from '../meeting/room-meeting.ts'
import { openVenue, type Venue } from '../meeting/venue.ts'
import type { BenchOptions, Platform } from '../options.ts'
import { captureReport, type Method, type Window } from './report.ts'
import { type ScreenRecorder, startScreen } from './screen-recorder.ts'

const ROUNDS = 2
const BOTS_AT_ONCE = 4
/** Two cores cannot carry four meetings of four people. Ratios compare meetings of one size only. */
const LARGE: MeetingSize = { people: 4, width: 640, height: 360, framesPerSecond: 15, camera: true }
const SMALL: MeetingSize = { people: 2, width: 320, height: 180, framesPerSecond: 10, camera: true }
/** Participants of a simulated Meet are scripts, which cost next to nothing. */
const OF_MEET: MeetingSize = { ...LARGE, framesPerSecond: 17 }
const OF_TEAMS: MeetingSize = { ...OF_MEET, width: 320, height: 180 }
const SIZES: Readonly<Record<Platform, { readonly large: MeetingSize; readonly small: MeetingSize }>> = {
  room: { large: LARGE, small: SMALL },
  'google-meet': { large: OF_MEET, small: OF_MEET },
  teams: { large: OF_TEAMS, small: OF_TEAMS },
  zoom: { large: OF_TEAMS, small: OF_TEAMS },
}
const LARGE_SECONDS = 25
const SMALL_SECONDS = 15
/** Senders need this long to estimate the bandwidth. */
const SETTLE_MS = 3_000
/** A recording of a busy screen may lack a few frames, and its encoder may be a moment behind. One that lacks more did not keep up. */
const ENOUGH_OF_THE_FILM = 0.95
const FILMED_PER_SECOND = 15
/** The same for the cameras in it. A page decodes fewer pictures while it lacks CPU time. */
const ENOUGH_OF_A_CAMERA = 0.9
/** On a slow machine, no further round starts after this. */
const LAST_ROUND_BEFORE_MS = 80_000

export async function capture(options: BenchOptions): Promise<Report> {
  preparePrograms()
  const platform = options.platform ?? 'room'
  const venue = await openVenue(platform, options.media)
  const settings = { BOTS_PER_WORKER: String(BOTS_AT_ONCE), BOT_WORKERS: '1', ...venue.settings }
  const run = (server: BenchServer, headed: BenchServer | null) =>
    compare({ server, headed, venue, profile: options.profile }, SIZES[platform])
  try {
    return await withServer({ ...options, settings }, (server) =>
      // Bots of the built-in room are never headed.
      platform === 'room'
        ? run(server, null)
        : withServer({ ...options, settings: { ...settings, BROWSER_MODE: 'headed' } }, (headed) => run(server, headed)),
    )
  } finally {
    await venue.close()
  }
}

/** `headed`: a second service whose bots have headed browsers. */
type Setup = { readonly server: BenchServer; readonly headed: BenchServer | null; readonly venue: Venue; readonly profile: boolean }

async function compare({ server, headed, venue, profile }: Setup, sizes: (typeof SIZES)[Platform]): Promise<Report> {
  const before = loadNow()
  const screen = await startScreen(server, venue.flags)
  const large = await venue.open(server, 'large', sizes.large)
  const [alone, filmed, ...aloneHeaded] = await inTurns([
    { what: `1 bot, ${describeSize(large)}`, bots: 1, record: () => recordedBy(server, [large], LARGE_SECONDS) },
    { what: `filmed screen, ${describeSize(large)}`, bots: 1, record: () => filmedBy(screen, large, LARGE_SECONDS) },
    ...forHeaded(headed, (it) => ({ what: '1 bot, headed', bots: 1, record: () => recordedBy(it, [large], LARGE_SECONDS) })),
  ])
  await large.end()

  const first = await venue.open(server, 'small-1', sizes.small)
  const small = [first]
  while (small.length < BOTS_AT_ONCE) small.push(await venue.open(server, `small-${small.length + 1}`, sizes.small))
  const [atOnce, filmedSmall, ...atOnceHeaded] = await inTurns([
    { what: `each of 4 bots, ${describeSize(first)}`, bots: BOTS_AT_ONCE, record: () => recordedBy(server, small, SMALL_SECONDS) },
    { what: `screen beside 4, ${describeSize(first)}`, bots: 1, record: () => filmedBy(screen, first, SMALL_SECONDS) },
    ...forHeaded(headed, (it) => ({
      what: 'each of 4 bots, headed',
      bots: BOTS_AT_ONCE,
      record: () => recordedBy(it, small, SMALL_SECONDS),
    })),
  ])
  const methods = { alone, filmed, atOnce, filmedSmall }
  return captureReport(methods, [...aloneHeaded, ...atOnceHeaded], { machine: { before, after: loadNow() }, profile })
}

function forHeaded(headed: BenchServer | null, turn: (server: BenchServer) => Turn): readonly Turn[] {
  return headed ? [turn(headed)] : []
}

type Turn = Omit<Method, 'windows'> & { readonly record: () => Promise<Window> }

/** In turns, so that other load on the machine affects all of them. */
async function inTurns(turns: readonly [Turn, Turn, ...Turn[]]): Promise<readonly [Method, Method, ...Method[]]> {
  const windows = turns.map((): Window[] => [])
  const startedAt = performance.now()
  for (let round = 1; round <= ROUNDS && performance.now() - startedAt < LAST_ROUND_BEFORE_MS; round++)
    for (const [index, turn] of turns.entries()) windows[index]?.push(await oneWindow(turn, round))
  const methodOf = (turn: Turn, index: number): Method => ({ ...turn, windows: windows[index] ?? [] })
  const [first, second, ...others] = turns
  return [methodOf(first, 0), methodOf(second, 1), ...others.map((turn, index) => methodOf(turn, index + 2))]
}

async function oneWindow({ what, record }: Turn, round: number): Promise<Window> {
  console.error(`round ${round} of ${ROUNDS}: ${what}`)
  const window = await record()
  const { cpuPerMinute, pssMb } = window.cost
  console.error(`  ${cpuPerMinute.toFixed(1)} CPU s/min, ${pssMb.toFixed()} MB${window.lost ? ', frames were lost' : ''}`)
  return window
}

/** With one bot in each meeting. */
async function recordedBy(server: BenchServer, meetings: readonly Meeting[], seconds: number): Promise<Window> {
  const bots = await Promise.all(meetings.map((meeting) => sendBot(server, meeting)))
  await Promise.all(bots.map((it) => untilSettled(server, it)))
  let cost: Promise<Cost> | null = null
  const measuring = (): Promise<Cost> => {
    cost ??= measure(workersOf(server), seconds)
    return cost
  }
  const recorded = await Promise.all(bots.map((it) => recordedDuring(server, it, measuring)))
  const load = loadNow()['load 1 min'] ?? 0
  await Promise.all(bots.map(({ bot }) => removeBot(server, bot)))
  await Promise.all(bots.map(({ bot }) => untilDone(server, bot)))
  const mean = (what: 'sentFrames' | 'recordedFrames' | 'sentPackets' | 'recordedPackets' | 'kilobits') =>
    recorded.reduce((total, it) => total + (it[what] ?? Number.NaN), 0) / recorded.length
  const proof = {
    'pictures/s sent': mean('sentFrames'),
    'pictures/s kept': mean('recordedFrames'),
    'packets/s sent': mean('sentPackets'),
    'packets/s kept': mean('recordedPackets'),
    ...(recorded.every(({ kilobits }) => kilobits !== null) && { 'kbit/s': mean('kilobits') }),
    'seconds kept': Math.min(...recorded.map((it) => it.seconds)),
    'load 1 min': load,
  }
  return { cost: await measuring(), proof, lost: recorded.some(({ lost }) => lost) }
}

export async function filmedBy(screen: ScreenRecorder, meeting: Meeting, seconds: number): Promise<Window> {
  const filming = await screen.film(meeting)
  await delay(SETTLE_MS)
  const before = await filming.shown()
  const cost = await measure(filming.roots, seconds)
  const shown = ((await filming.shown()) - before) / seconds / meeting.size.people
  const load = loadNow()['load 1 min'] ?? 0
  const film = await filming.stop()
  const perSecond = film.frames / Math.max(1, film.seconds)
  const filmedSeconds = seconds + SETTLE_MS / 1_000
  const isBehind = film.seconds < ENOUGH_OF_THE_FILM * filmedSeconds || film.soundSeconds < seconds
  const isFrozen = shown < ENOUGH_OF_A_CAMERA * meeting.size.framesPerSecond
  const lost = perSecond < ENOUGH_OF_THE_FILM * FILMED_PER_SECOND || isBehind || isFrozen
  const proof = {
    'pictures/s of a camera': shown,
    'pictures/s sent': FILMED_PER_SECOND,
    'pictures/s kept': perSecond,
    'seconds filmed': filmedSeconds,
    'seconds kept': film.seconds,
    'seconds of sound kept': film.soundSeconds,
    'load 1 min': load,
  }
  return { cost, proof, lost }
}

function describeSize({ size: { people, width, height, framesPerSecond } }: Meeting): string {
  return `${people} people ${width}x${height}@${framesPerSecond}`
}
