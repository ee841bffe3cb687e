// Bots sent to measured meetings through the API, and the media that they recorded.
import { setTimeout as delay } from 'node:timers/promises'
import { childrenWith } from '../harness/processes.ts'
import type { BenchServer } from '../harness/server.ts'
import { type RecordedTrack, recordedBy } from './recorded-tracks.ts'
import type { Meeting } from './room-meeting.ts'

const POLL_EVERY_MS = 100
const FLOWS_WITHIN_MS = 60_000
/** Media may be this late on a busy machine, so recorded media may lag sent media by as much. */
const LATE_SECONDS = 0.3
const ON_DISK_WITHIN_MS = 8_000
const DONE_WITHIN_MS = 150_000

/**
 * A bot or a person that joins takes all cores, and the sound of the people stops for a moment. Bots move it to its new time five
 * seconds later (`delay-window.ts`), which would count as loss.
 */
const SETTLE_MS = 8_000

export type RecordedShare = {
  /** Frames and audio packets per second of one person, sent to the bot and found on the disk. */
  readonly sentFrames: number
  readonly recordedFrames: number
  readonly sentPackets: number
  readonly recordedPackets: number
  /** Of all people. Null if bytes are not counted. */
  readonly kilobits: number | null
  /** The shortest recording of a person, in seconds. */
  readonly seconds: number
  /** Tracks of a kind that the bot was not asked to record. */
  readonly unrequested: number
  readonly lost: boolean
}

/** A bot, its meeting, and the kinds it was asked to record. */
export type Attendance = { readonly bot: string; readonly meeting: Meeting; readonly kinds: readonly RecordedTrack['kind'][] }

type Timeline = Readonly<Record<string, { readonly timestamp: string }>>

export async function request<Answer>({ url, apiKey }: BenchServer, method: string, path: string, body?: object): Promise<Answer> {
  const headers = { authorization: `Token ${apiKey}`, ...(body && { 'content-type': 'application/json' }) }
  const answer = await fetch(`${url}/api/v1/bots/${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  if (!answer.ok) throw new Error(`bench: ${method} ${path} answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as Answer
}

export type BotFields = {
  readonly video_required?: boolean
  readonly recording_config?: { readonly video_layout: 'grid_view' | 'speaker_view' }
  readonly callback_url?: string
  readonly live_audio_required?: { readonly websocket_url: string }
}

export async function sendBot(server: BenchServer, meeting: Meeting, fields: BotFields = {}): Promise<Attendance> {
  const { bot_id: bot } = await request<{ bot_id: string }>(server, 'POST', 'create_bot', { meeting_link: meeting.link, ...fields })
  return { bot, meeting, kinds: fields.video_required === false ? ['audio'] : ['audio', 'video'] }
}

async function timelineOf(server: BenchServer, bot: string): Promise<Timeline> {
  type Detail = { bot_details: { Status: string; Message: string; StatusTimeline: Timeline } }
  const { bot_details } = await request<Detail>(server, 'GET', `${bot}/detail`)
  const { Status, Message, StatusTimeline } = bot_details
  if (['Failed', 'Error'].includes(Status)) throw new Error(`bench: the bot ended as ${Status}: ${Message}`)
  return StatusTimeline
}

/** Resolves when the bot has left the meeting. */
export async function removeBot(server: BenchServer, bot: string): Promise<void> {
  await request(server, 'GET', `${bot}/remove_bot`)
  await eventually('the bot is out', async () => 'Stopped' in (await timelineOf(server, bot)))
}

/** Waits for post-call processing, which would disturb the next measurement: it takes all cores as soon as no bot is in a meeting. */
export async function untilDone(server: BenchServer, bot: string): Promise<void> {
  const deadline = performance.now() + DONE_WITHIN_MS
  while (!('Done' in (await timelineOf(server, bot))) && performance.now() < deadline) await delay(POLL_EVERY_MS)
}

export function workersOf({ pids }: BenchServer): readonly number[] {
  return childrenWith(pids.service, 'bot/worker/main.ts')
}

/** Waits until the bot's join no longer disturbs a measurement. */
export async function untilSettled(server: BenchServer, attendance: Attendance): Promise<void> {
  await untilRecorded(server, attendance)
  await delay(SETTLE_MS)
}

/** Waits until every requested track is on the disk. */
export async function untilRecorded(server: BenchServer, { bot, meeting, kinds }: Attendance): Promise<void> {
  await eventually('everybody is recorded', async () => {
    await timelineOf(server, bot)
    const { tracks } = recordedBy(server, bot)
    return kinds.every((kind) => tracks.filter((track) => track.kind === kind).length >= meeting.trackCounts[kind])
  })
}

/** The media that the bot recorded during `work`, compared with the media that was sent to it. */
export async function recordedDuring(
  server: BenchServer,
  { bot, meeting, kinds }: Attendance,
  work: () => Promise<unknown>,
): Promise<RecordedShare> {
  const before = await meeting.sent()
  await work()
  const after = await meeting.sent()
  const wanted = () => recordedBy(server, bot).tracks.filter(({ kind }) => kinds.includes(kind))
  const isOnDisk = await untilOnDisk(wanted, after.atMs)
  const { tracks, gaps } = recordedBy(server, bot)
  const seconds = (after.atMs - before.atMs) / 1_000
  const each = (kind: RecordedTrack['kind'], count: number) => count / seconds / meeting.trackCounts[kind]
  const recorded = (kind: RecordedTrack['kind']) =>
    each(kind, sum(tracks.filter((it) => it.kind === kind).map((it) => it.framesAt(after.atMs) - it.framesAt(before.atMs))))
  const share = {
    sentFrames: each('video', after.frames - before.frames),
    recordedFrames: recorded('video'),
    sentPackets: each('audio', after.packets - before.packets),
    recordedPackets: recorded('audio'),
    kilobits: before.bytes === null || after.bytes === null ? null : ((after.bytes - before.bytes) * 8) / 1_000 / seconds,
    seconds: Math.min(...wanted().map((it) => it.seconds)),
    unrequested: tracks.filter(({ kind }) => !kinds.includes(kind)).length,
  }
  const lacks = (sent: number, recorded: number) => (sent - recorded) * seconds > sent * LATE_SECONDS
  const lacksFrames = kinds.includes('video') && lacks(share.sentFrames, share.recordedFrames)
  return { ...share, lost: lacks(share.sentPackets, share.recordedPackets) || lacksFrames || !isOnDisk || gaps > 0 }
}

/** Whether all tracks reach this moment. A busy disk takes a second or two. */
async function untilOnDisk(tracks: () => readonly RecordedTrack[], wallMs: number): Promise<boolean> {
  const deadline = performance.now() + ON_DISK_WITHIN_MS
  const reachesMoment = () => tracks().every(({ untilMs }) => untilMs > wallMs)
  while (!reachesMoment() && performance.now() < deadline) await delay(POLL_EVERY_MS)
  return reachesMoment()
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

export async function eventually(
  what: string,
  holds: () => Promise<boolean>,
  { everyMs = POLL_EVERY_MS, withinMs = FLOWS_WITHIN_MS } = {},
): Promise<void> {
  const deadline = performance.now() + withinMs
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`bench: waited ${withinMs / 1_000} s without success until ${what}`)
    await delay(everyMs)
  }
}
