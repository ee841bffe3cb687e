// The requests to a bucket that one bot causes, counted by the service, and what they cost at a list price.
import { setTimeout as delay } from 'node:timers/promises'
import { bucketSettings } from '../../test/helpers/service/bucket.ts'
import { startSwift } from '../../test/helpers/service/s3-server.ts'
import type { Table } from '../harness/report.ts'
import { type BenchServer, withServer } from '../harness/server.ts'
import { removeBot, sendBot, untilDone, untilRecorded } from '../meeting/bots.ts'
import { launchPeopleBrowser, type MeetingSize, openMeeting } from '../meeting/room-meeting.ts'
import type { BenchOptions } from '../options.ts'

/** Of Amazon S3 Standard in us-east-1, per request. Requests that remove objects are free. */
const [WRITE_DOLLARS, READ_DOLLARS] = [0.005 / 1_000, 0.0004 / 1_000]
const DOLLARS: Readonly<Record<string, number>> = {
  PutObject: WRITE_DOLLARS,
  CreateMultipartUpload: WRITE_DOLLARS,
  UploadPart: WRITE_DOLLARS,
  CompleteMultipartUpload: WRITE_DOLLARS,
  ListObjectsV2: WRITE_DOLLARS,
  GetObject: READ_DOLLARS,
  HeadObject: READ_DOLLARS,
}
/** After the call each bundle is read and removed, so these grow with its length. */
const PER_BUNDLE = ['GetObject', 'HeadObject', 'DeleteObject']
const STAY_SECONDS = 120
const MINUTES_OF_AN_HOUR = 60

type Requests = Readonly<Record<string, number>>
export type BucketCosts = { readonly table: Table; readonly putsPerMinute: number }

/** One bot that records everything, in a meeting of four people, with an S3 server on this machine. */
export async function bucketCosts(options: BenchOptions, people: MeetingSize): Promise<BucketCosts> {
  const swift = await startSwift()
  try {
    const settings = { ...options.settings, ...bucketSettings(await swift.bucket()) }
    return await withServer({ ...options, settings }, (server) => counted(server, people))
  } finally {
    await swift.stop()
  }
}

async function counted(server: BenchServer, people: MeetingSize): Promise<BucketCosts> {
  const meeting = await openMeeting(await launchPeopleBrowser(server), `${server.url}/room/bucket`, people)
  const attendance = await sendBot(server, meeting)
  await untilRecorded(server, attendance)
  const [from, before] = [performance.now(), await requestsOf(server)]
  await delay(STAY_SECONDS * 1_000)
  const minutes = (performance.now() - from) / 60_000
  const during = await requestsOf(server)
  await removeBot(server, attendance.bot)
  await untilDone(server, attendance.bot)
  await meeting.end()
  return costsOf({ stay: difference(during, before), after: difference(await requestsOf(server), during), minutes })
}

type Counted = { readonly stay: Requests; readonly after: Requests; readonly minutes: number }

function costsOf({ stay, after, minutes }: Counted): BucketCosts {
  const perMinute = Object.fromEntries(Object.entries(stay).map(([operation, count]) => [operation, count / minutes]))
  const hourOf = (operation: string) => (PER_BUNDLE.includes(operation) ? MINUTES_OF_AN_HOUR / minutes : 1) * (after[operation] ?? 0)
  const operations = [...new Set([...Object.keys(stay), ...Object.keys(after)])].toSorted()
  const hour = Object.fromEntries(operations.map((it) => [it, (perMinute[it] ?? 0) * MINUTES_OF_AN_HOUR + hourOf(it)]))
  const dollars = operations.reduce((sum, it) => sum + (hour[it] ?? 0) * (DOLLARS[it] ?? 0), 0)
  const table = { 'a minute in the meeting': perMinute, 'after the call': after, 'a meeting of an hour': { ...hour, dollars } }
  return { table, putsPerMinute: perMinute.PutObject ?? 0 }
}

const SAMPLE = /^emissary_store_requests_total\{operation="(\w+)"\} (\d+)/gm

async function requestsOf({ url }: BenchServer): Promise<Requests> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Object.fromEntries([...text.matchAll(SAMPLE)].map(([, operation = '', count]) => [operation, Number(count)]))
}

function difference(later: Requests, earlier: Requests): Requests {
  return Object.fromEntries(Object.entries(later).map(([operation, count]) => [operation, count - (earlier[operation] ?? 0)]))
}
