// One bot for half an hour in a busy meeting, without growth or loss. People talk, join, leave and write.
import { setTimeout as delay } from 'node:timers/promises'
import { loadNow } from './harness/machine.ts'
import { type Memory, memoryOf, openFilesOf } from './harness/processes.ts'
import { atMost, none, type Report } from './harness/report.ts'
import { type BenchServer, withServer } from './harness/server.ts'
import { slopeOf } from './harness/statistics.ts'
import { type Attendance, removeBot, sendBot, untilRecorded, workersOf } from './meeting/bots.ts'
import { recordedBy } from './meeting/recorded-tracks.ts'
import type { Meeting } from './meeting/room-meeting.ts'
import { openVenue } from './meeting/venue.ts'
import type { BenchOptions } from './options.ts'

const USUAL_MINUTES = 30
const LOOK_EVERY_MS = 10_000
/** The bot's write delay and the last second of the manifest. */
const ON_DISK_MS = 4_000
const SIZE = { people: 4, width: 640, height: 360, framesPerSecond: 17, camera: true }
/** Segments are open while people speak, so the number of files varies. */
const MORE_FILES = 10
/** Audio and video that is in flight at the start and at the end. */
const LATE_SECONDS = 0.3

type Look = Memory & { readonly minutes: number; readonly files: number }
type Who = 'worker' | 'browser'

export async function endurance(options: BenchOptions): Promise<Report> {
  const minutes = options.minutes ?? USUAL_MINUTES
  const venue = await openVenue(options.platform ?? 'google-meet')
  try {
    return await withServer({ ...options, settings: { BOT_WORKERS: '1', ...venue.settings } }, async (server) => {
      const before = loadNow()
      const meeting = await venue.open(server, 'endurance', SIZE, { lively: true })
      const attendance = await sendBot(server, meeting)
      await untilRecorded(server, attendance)
      const { kept, looks } = await stay(server, attendance, minutes)
      await removeBot(server, attendance.bot)
      return reportOf(looks, kept, { before, after: loadNow() })
    })
  } finally {
    await venue.close()
  }
}

type Kept = Readonly<Record<'seconds' | 'packets' | 'sentPackets' | 'frames' | 'sentFrames' | 'filmed' | 'gaps', number>>

async function stay(server: BenchServer, { bot, meeting }: Attendance, minutes: number): Promise<{ kept: Kept; looks: readonly Look[] }> {
  const from = await meeting.sent()
  const looks: Look[] = []
  const startedAt = performance.now()
  const passed = () => (performance.now() - startedAt) / 60_000
  while (passed() < minutes) {
    await delay(Math.min(LOOK_EVERY_MS, Math.max(1, (minutes - passed()) * 60_000)))
    const workers = workersOf(server)
    looks.push({ minutes: passed(), files: openFilesOf(workers), ...memoryOf(workers) })
    logProgress(looks)
  }
  const to = await meeting.sent()
  await delay(ON_DISK_MS)
  return { kept: keptBetween(server, bot, from, to), looks }
}

type Sent = Awaited<ReturnType<Meeting['sent']>>

function keptBetween(server: BenchServer, bot: string, from: Sent, to: Sent): Kept {
  const { tracks, gaps } = recordedBy(server, bot)
  const of = (kind: 'audio' | 'video') => tracks.filter((it) => it.kind === kind)
  const count = (kind: 'audio' | 'video') => of(kind).reduce((sum, it) => sum + it.framesAt(to.atMs) - it.framesAt(from.atMs), 0)
  const seconds = (to.atMs - from.atMs) / 1_000
  // Cameras are never turned off, so the segments of each cover the whole time.
  const filmed = Math.min(...of('video').map((it) => it.secondsBetween(from.atMs, to.atMs)))
  return {
    seconds,
    filmed,
    gaps,
    packets: count('audio'),
    frames: count('video'),
    sentPackets: to.packets - from.packets,
    sentFrames: to.frames - from.frames,
  }
}

function reportOf(looks: readonly Look[], kept: Kept, machine: Report['figures'][string]): Report {
  const third = Math.floor(looks.length / 3)
  const mean = (who: Who, some: readonly Look[]) => some.reduce((sum, it) => sum + it[who], 0) / some.length
  const rowOf = (who: Who) => {
    const [first, second, last] = [looks.slice(0, third), looks.slice(third, 2 * third), looks.slice(2 * third)]
    const points = [...second, ...last].map((it) => [it.minutes, it[who]] as const)
    const row = { 'first third': mean(who, first), 'second third': mean(who, second), 'last third': mean(who, last) }
    return { ...row, 'MB a minute': slopeOf(points), growth: row['last third'] / row['second third'] }
  }
  const rows = { worker: rowOf('worker'), browser: rowOf('browser') }
  const [middle, end] = [looks[third], looks.at(-1)]
  const parts = Object.keys(end?.byProgram ?? {}).map((it) => [
    it,
    { 'after a third': middle?.byProgram[it] ?? 0, 'at the end': end?.byProgram[it] ?? 0 },
  ])
  const settled = looks.find(({ minutes }) => minutes >= Math.min(5, (looks.at(-1)?.minutes ?? 0) / 2))
  const files = { settled: settled?.files ?? 0, 'at the end': looks.at(-1)?.files ?? 0 }
  const lost = (sent: number, it: number) => Math.max(0, Math.round(sent - it - (sent / kept.seconds) * LATE_SECONDS))
  return {
    figures: {
      'MB taken': rows,
      'browser, MB taken': Object.fromEntries(parts),
      'open files': { worker: files },
      kept: {
        sound: { sent: kept.sentPackets, kept: kept.packets },
        pictures: { sent: kept.sentFrames, kept: kept.frames },
        seconds: { sent: kept.seconds, kept: kept.filmed },
      },
      machine,
    },
    budgets: [
      atMost('memory of the worker, last third over second', rows.worker.growth, 1.1, 'x'),
      atMost('memory of the browser, last third over second', rows.browser.growth, 1.1, 'x'),
      atMost('more open files of the worker than when it had settled', files['at the end'] - files.settled, MORE_FILES),
      none('packets of sound lost', lost(kept.sentPackets, kept.packets)),
      none('pictures lost', lost(kept.sentFrames, kept.frames)),
      atMost('seconds between the time and the sum of the segments', Math.abs(kept.seconds - kept.filmed), 1),
      none('gaps in the recording', kept.gaps),
    ],
  }
}

function logProgress(looks: readonly Look[]): void {
  const last = looks.at(-1)
  if (!last || looks.length % 6 !== 1) return
  console.error(
    `${last.minutes.toFixed(1)} min: worker ${last.worker.toFixed()} MB, browser ${last.browser.toFixed()} MB, ${last.files} files`,
  )
}
