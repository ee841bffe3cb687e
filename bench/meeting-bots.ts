// Bots sent to measured meetings through the API, and what they put on the disk while it was measured.
import { setTimeout as delay } from 'node:timers/promises'
import type { Meeting } from './meeting.ts'
import { type KeptTrack, keptBy } from './meeting-kept.ts'
import { childrenWith } from './processes.ts'
import type { BenchServer } from './server.ts'

const ASK_EVERY_MS = 100
const FLOWS_WITHIN_MS = 60_000
/** Sound and pictures are this late at the most on a busy machine; by as much, what was kept until a moment may lag behind what was sent. */
const LATE_SECONDS = 0.3
const ON_DISK_WITHIN_MS = 8_000
const DONE_WITHIN_MS = 15_000

export type Taken = {
  /** Pictures and sound packets a second of one person, sent to the bot and found on the disk. */
  readonly sentPictures: number
  readonly keptPictures: number
  readonly sentPackets: number
  readonly keptPackets: number
  /** Of all people together; null where nobody counted. */
  readonly kilobits: number | null
  /** Seconds of the person of whom there is least. */
  readonly seconds: number
  /** Tracks of a kind that the bot was not asked to take. */
  readonly unasked: number
  readonly lost: boolean
}

/** A bot, where it is, and what it was asked to take. */
export type Attendance = { readonly bot: string; readonly meeting: Meeting; readonly kinds: readonly KeptTrack['kind'][] }

type Timeline = Readonly<Record<string, { readonly timestamp: string }>>

export async function ask<Answer>({ url, apiKey }: BenchServer, method: string, path: string, body?: object): Promise<Answer> {
  const headers = { authorization: `Token ${apiKey}`, ...(body && { 'content-type': 'application/json' }) }
  const answer = await fetch(`${url}/api/v1/bots/${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  if (!answer.ok) throw new Error(`bench: ${method} ${path} answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as Answer
}

type BotFields = {
  readonly video_required?: boolean
  readonly callback_url?: string
  readonly live_audio_required?: { readonly websocket_url: string }
}

export async function sendBot(server: BenchServer, meeting: Meeting, fields: BotFields = {}): Promise<Attendance> {
  const { bot_id: bot } = await ask<{ bot_id: string }>(server, 'POST', 'create_bot', { meeting_link: meeting.link, ...fields })
  return { bot, meeting, kinds: fields.video_required === false ? ['sound'] : ['sound', 'picture'] }
}

async function timelineOf(server: BenchServer, bot: string): Promise<Timeline> {
  type Detail = { bot_details: { Status: string; Message: string; StatusTimeline: Timeline } }
  const { bot_details } = await ask<Detail>(server, 'GET', `${bot}/detail`)
  const { Status, Message, StatusTimeline } = bot_details
  if (['Failed', 'Error'].includes(Status)) throw new Error(`bench: the bot ended as ${Status}: ${Message}`)
  return StatusTimeline
}

/** It has left the meeting when this settles. */
export async function removeBot(server: BenchServer, bot: string): Promise<void> {
  await ask(server, 'GET', `${bot}/remove_bot`)
  await eventually('the bot is out', async () => 'Stopped' in (await timelineOf(server, bot)))
}

/** What is made of a recording is made when the bot is out, and would be in the way of what is measured next; not waited for in vain. */
export async function untilDone(server: BenchServer, bot: string): Promise<void> {
  const deadline = performance.now() + DONE_WITHIN_MS
  while (!('Done' in (await timelineOf(server, bot))) && performance.now() < deadline) await delay(ASK_EVERY_MS)
}

export function hostsOf({ pids }: BenchServer): readonly number[] {
  return childrenWith(pids.service, 'bot/main.ts')
}

/** Everything that it was asked to take, of everybody, is on the disk. */
export async function untilRecorded(server: BenchServer, { bot, meeting, kinds }: Attendance): Promise<void> {
  await eventually('everybody is recorded', async () => {
    await timelineOf(server, bot)
    const { tracks } = keptBy(server, bot)
    return kinds.every((kind) => tracks.filter((track) => track.kind === kind).length >= meeting.sends[kind])
  })
}

/** What the bot took of the meeting while `work` was done, beside what was sent to it. `kinds` is what it was asked to take. */
export async function takenDuring(server: BenchServer, { bot, meeting, kinds }: Attendance, work: () => Promise<unknown>): Promise<Taken> {
  const before = await meeting.sent()
  await work()
  const after = await meeting.sent()
  const wanted = () => keptBy(server, bot).tracks.filter(({ kind }) => kinds.includes(kind))
  const isOnDisk = await untilKept(wanted, after.atMs)
  const { tracks, gaps } = keptBy(server, bot)
  const seconds = (after.atMs - before.atMs) / 1_000
  const each = (kind: KeptTrack['kind'], count: number) => count / seconds / meeting.sends[kind]
  const kept = (kind: KeptTrack['kind']) =>
    each(kind, sum(tracks.filter((it) => it.kind === kind).map((it) => it.framesAt(after.atMs) - it.framesAt(before.atMs))))
  const taken = {
    sentPictures: each('picture', after.pictures - before.pictures),
    keptPictures: kept('picture'),
    sentPackets: each('sound', after.packets - before.packets),
    keptPackets: kept('sound'),
    kilobits: before.bytes === null || after.bytes === null ? null : ((after.bytes - before.bytes) * 8) / 1_000 / seconds,
    seconds: Math.min(...wanted().map((it) => it.seconds)),
    unasked: tracks.filter(({ kind }) => !kinds.includes(kind)).length,
  }
  const lacks = (sent: number, kept: number) => (sent - kept) * seconds > sent * LATE_SECONDS
  const lacksPictures = kinds.includes('picture') && lacks(taken.sentPictures, taken.keptPictures)
  return { ...taken, lost: lacks(taken.sentPackets, taken.keptPackets) || lacksPictures || !isOnDisk || gaps > 0 }
}

/** Whether all tracks reach to this moment, after the second or two that a busy disk takes. */
async function untilKept(tracks: () => readonly KeptTrack[], wallMs: number): Promise<boolean> {
  const deadline = performance.now() + ON_DISK_WITHIN_MS
  const isKept = () => tracks().every(({ untilMs }) => untilMs > wallMs)
  while (!isKept() && performance.now() < deadline) await delay(ASK_EVERY_MS)
  return isKept()
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

export async function eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + FLOWS_WITHIN_MS
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`bench: waited ${FLOWS_WITHIN_MS / 1_000} s in vain until ${what}`)
    await delay(ASK_EVERY_MS)
  }
}
