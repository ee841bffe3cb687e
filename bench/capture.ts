// What a bot costs while it records, beside the usual way to record a meeting: a filmed screen. Both in the same run, in turns.
import { setTimeout as delay } from 'node:timers/promises'
import { preparePrograms } from './capture-programs.ts'
import { captureReport, type Way, type Window } from './capture-report.ts'
import { type ScreenRecorder, startScreen } from './capture-screen.ts'
import { loadNow } from './machine.ts'
import type { Meeting, MeetingSize } from './meeting.ts'
import { hostsOf, removeBot, sendBot, takenDuring, untilDone, untilRecorded } from './meeting-bots.ts'
import { type Cost, measure } from './processes.ts'
import type { Report } from './report.ts'
import { type BenchOptions, type BenchServer, withServer } from './server.ts'
import { openVenue, type Platform, type Venue } from './venue.ts'

const ROUNDS = 2
const TOGETHER = 4
/** Two cores cannot carry four meetings of four people; ratios compare what was measured in meetings of one size. */
const LARGE: MeetingSize = { people: 4, width: 640, height: 360, framesPerSecond: 15, camera: true }
const SMALL: MeetingSize = { people: 2, width: 320, height: 180, framesPerSecond: 10, camera: true }
/** Of a Meet the people are scripts, which cost next to nothing. */
const OF_MEET: MeetingSize = { ...LARGE, framesPerSecond: 17 }
const OF_TEAMS: MeetingSize = { ...OF_MEET, width: 320, height: 180 }
const SIZES: Readonly<Record<Platform, { readonly large: MeetingSize; readonly small: MeetingSize }>> = {
  room: { large: LARGE, small: SMALL },
  'google-meet': { large: OF_MEET, small: OF_MEET },
  teams: { large: OF_TEAMS, small: OF_TEAMS },
}
const LARGE_SECONDS = 25
const SMALL_SECONDS = 15
/** Until senders have found out what the connection bears. */
const SETTLE_MS = 3_000
/** A film of a busy screen may lack a few pictures; one that lacks more was not made in time. */
const ENOUGH_OF_THE_FILM = 0.95
const FILMED_PER_SECOND = 15
/** Where a busy machine makes everything slow, no further round begins after this. */
const LAST_ROUND_BEFORE_MS = 80_000

export async function capture(options: BenchOptions): Promise<Report> {
  preparePrograms()
  const platform = options.platform ?? 'room'
  const venue = await openVenue(platform, options.media)
  const settings = { BOTS_PER_HOST: String(TOGETHER), BOT_HOSTS: '1', ...venue.settings }
  const run = (server: BenchServer, headed: BenchServer | null) => compare({ server, headed, venue }, SIZES[platform])
  try {
    return await withServer({ ...options, settings }, (server) =>
      // Bots of the room have no window.
      platform === 'room'
        ? run(server, null)
        : withServer({ ...options, settings: { ...settings, BROWSER_MODE: 'headed' } }, (headed) => run(server, headed)),
    )
  } finally {
    await venue.close()
  }
}

/** `headed`: a second service, whose bots have browsers with windows. */
type Place = { readonly server: BenchServer; readonly headed: BenchServer | null; readonly venue: Venue }

async function compare({ server, headed, venue }: Place, sizes: (typeof SIZES)[Platform]): Promise<Report> {
  const before = loadNow()
  const screen = await startScreen(server, venue.flags)
  const large = await venue.open(server, 'large', sizes.large)
  const [alone, filmed, ...aloneHeaded] = await inTurns([
    { what: `1 bot, ${inWords(large)}`, bots: 1, record: () => recordedBy(server, [large], LARGE_SECONDS) },
    { what: `filmed screen, ${inWords(large)}`, bots: 1, record: () => filmedBy(screen, large, LARGE_SECONDS) },
    ...forHeaded(headed, (it) => ({ what: '1 bot, headed', bots: 1, record: () => recordedBy(it, [large], LARGE_SECONDS) })),
  ])
  await large.end()

  const first = await venue.open(server, 'small-1', sizes.small)
  const small = [first]
  while (small.length < TOGETHER) small.push(await venue.open(server, `small-${small.length + 1}`, sizes.small))
  const [together, filmedSmall, ...togetherHeaded] = await inTurns([
    { what: `each of 4 bots, ${inWords(first)}`, bots: TOGETHER, record: () => recordedBy(server, small, SMALL_SECONDS) },
    { what: `screen beside 4, ${inWords(first)}`, bots: 1, record: () => filmedBy(screen, first, SMALL_SECONDS) },
    ...forHeaded(headed, (it) => ({
      ...{ what: 'each of 4 bots, headed', bots: TOGETHER },
      record: () => recordedBy(it, small, SMALL_SECONDS),
    })),
  ])
  const ways = { alone, filmed, together, filmedSmall }
  return captureReport(ways, [...aloneHeaded, ...togetherHeaded], { before, after: loadNow() })
}

function forHeaded(headed: BenchServer | null, turn: (server: BenchServer) => Turn): readonly Turn[] {
  return headed ? [turn(headed)] : []
}

type Turn = Omit<Way, 'windows'> & { readonly record: () => Promise<Window> }

/** Whatever else the machine does meanwhile, it does to all of them. */
async function inTurns(turns: readonly [Turn, Turn, ...Turn[]]): Promise<readonly [Way, Way, ...Way[]]> {
  const windows = turns.map((): Window[] => [])
  const startedAt = performance.now()
  for (let round = 1; round <= ROUNDS && performance.now() - startedAt < LAST_ROUND_BEFORE_MS; round++)
    for (const [index, turn] of turns.entries()) windows[index]?.push(await oneWindow(turn, round))
  const wayOf = (turn: Turn, index: number): Way => ({ ...turn, windows: windows[index] ?? [] })
  const [first, second, ...others] = turns
  return [wayOf(first, 0), wayOf(second, 1), ...others.map((turn, index) => wayOf(turn, index + 2))]
}

async function oneWindow({ what, record }: Turn, round: number): Promise<Window> {
  console.error(`round ${round} of ${ROUNDS}: ${what}`)
  const window = await record()
  const { cpuPerMinute, pssMb } = window.cost
  console.error(`  ${cpuPerMinute.toFixed(1)} CPU s/min, ${pssMb.toFixed()} MB${window.lost ? ', frames were lost' : ''}`)
  return window
}

/** A bot in each of the meetings. */
async function recordedBy(server: BenchServer, meetings: readonly Meeting[], seconds: number): Promise<Window> {
  const bots = await Promise.all(meetings.map((meeting) => sendBot(server, meeting)))
  await Promise.all(bots.map((it) => untilRecorded(server, it)))
  await delay(SETTLE_MS)
  let cost: Promise<Cost> | null = null
  const measuring = (): Promise<Cost> => {
    cost ??= measure(hostsOf(server), seconds)
    return cost
  }
  const taken = await Promise.all(bots.map((it) => takenDuring(server, it, measuring)))
  const load = loadNow()['load 1 min'] ?? 0
  await Promise.all(bots.map(({ bot }) => removeBot(server, bot)))
  await Promise.all(bots.map(({ bot }) => untilDone(server, bot)))
  const mean = (what: 'sentPictures' | 'keptPictures' | 'sentPackets' | 'keptPackets' | 'kilobits') =>
    taken.reduce((total, it) => total + (it[what] ?? Number.NaN), 0) / taken.length
  const proof = {
    'pictures/s sent': mean('sentPictures'),
    'pictures/s kept': mean('keptPictures'),
    'packets/s sent': mean('sentPackets'),
    'packets/s kept': mean('keptPackets'),
    ...(taken.every(({ kilobits }) => kilobits !== null) && { 'kbit/s': mean('kilobits') }),
    'seconds kept': Math.min(...taken.map((it) => it.seconds)),
    'load 1 min': load,
  }
  return { cost: await measuring(), proof, lost: taken.some(({ lost }) => lost) }
}

async function filmedBy(screen: ScreenRecorder, meeting: Meeting, seconds: number): Promise<Window> {
  const filming = await screen.film(meeting)
  await delay(SETTLE_MS)
  const cost = await measure(filming.roots, seconds)
  const load = loadNow()['load 1 min'] ?? 0
  const film = await filming.stop()
  const perSecond = film.pictures / Math.max(1, film.seconds)
  const lost = perSecond < ENOUGH_OF_THE_FILM * FILMED_PER_SECOND || Math.min(film.seconds, film.soundSeconds) < seconds
  const proof = { 'pictures/s sent': FILMED_PER_SECOND, 'pictures/s kept': perSecond, 'seconds kept': film.seconds, 'load 1 min': load }
  return { cost, proof, lost }
}

function inWords({ size: { people, width, height, framesPerSecond } }: Meeting): string {
  return `${people} people ${width}x${height}@${framesPerSecond}`
}
