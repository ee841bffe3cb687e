// Bots that are out: their hosts' reports become moves, their claims are renewed, and what a dead host held is given back.
import { LIVE_WORDS_FAILED } from '../../domain/announcements.ts'
import type { BotId } from '../../domain/bot.ts'
import type { FromHost } from '../../domain/protocol.ts'
import type { Logger } from '../../kit/log.ts'
import { type Loop, startLoop } from '../../kit/loop.ts'
import type { ObjectStore } from '../../storage/store.ts'
import { addEvidence, type Claim, endedAmong, giveBack, holdsClaim, renewClaims } from '../db/bots.ts'
import { closeRoster } from '../db/meetings.ts'
import { waitForRecording } from '../db/recordings.ts'
import type { LiveEvents } from '../delivery/live-events.ts'
import { noteAccount } from './account.ts'
import { Hosts } from './hosts.ts'
import { keepScreenshot } from './keepsakes.ts'
import { type FleetDeps, note, tellOf, together, transition } from './transition.ts'
import type { Uploads } from './upload.ts'

const RENEW_EVERY_MS = 3_000
const UPLOAD_EVERY_MS = 5_000
/** After this a recording is worked at as far as it got: its node will not bring the rest. */
const LONGEST_UPLOAD_SECONDS = 600
/** A node that dies gives its bots back after this. */
const LEASE_SECONDS = 10
/** A node that could not renew for this long has its bots leave, before somebody else may send them again. */
const ABANDON_AFTER_MS = 6_000

type AttendanceDeps = FleetDeps & {
  readonly store: ObjectStore
  readonly uploads: Uploads
  readonly live: LiveEvents
  /** A recording is complete: whoever makes something of it need not wait. */
  readonly onRecorded: () => void
}

export type AttendanceOptions = {
  readonly deps: AttendanceDeps
  readonly log: Logger
  readonly seatsPerHost: number
  readonly mostHosts: number
  readonly warmHosts: number
  readonly chromium: string | undefined
  readonly chromiumFlags: readonly string[]
}

export type Attendance = { readonly hosts: Hosts; stop(): Promise<void> }

export function startAttendance({ deps, log, ...options }: AttendanceOptions): Attendance {
  const inOrder = oneByOne<BotId>((error, botId) => log.error({ err: error, botId }, 'report could not be written'))
  const hosts = new Hosts({
    ...options,
    onReport: (report) => {
      if (report.kind !== 'performed') inOrder(report.botId, () => write(deps, report))
    },
    onLost: (bots) => {
      log.warn({ bots }, 'a bot host ended; its bots are sent again')
      for (const claim of bots) inOrder(claim.botId, () => giveUp(deps, claim))
    },
  })
  let renewedAt = performance.now()
  const renewal: Loop = startLoop({
    async work() {
      const held = hosts.bots()
      const ours = await renewClaims(deps.db, held, LEASE_SECONDS)
      renewedAt = performance.now()
      // Ended meanwhile, or claimed by another node: whoever still sits there has no business in the meeting.
      const strays = held.filter(({ botId }) => !ours.has(botId))
      for (const { botId } of strays) void hosts.leave(botId, 'The bot is no longer wanted', RENEW_EVERY_MS)
      return RENEW_EVERY_MS
    },
    onError(error) {
      log.error({ err: error }, 'claims could not be renewed')
      if (performance.now() - renewedAt > ABANDON_AFTER_MS) hosts.abandon()
    },
    retryMs: 500,
  })
  const upload: Loop = startLoop({
    async work() {
      await uploadWhatIsHere(deps, hosts)
      return UPLOAD_EVERY_MS
    },
    onError: (error) => log.error({ err: error }, 'recordings could not be taken to the store; they stay here and are tried again'),
    retryMs: UPLOAD_EVERY_MS,
  })
  return {
    hosts,
    async stop() {
      await hosts.stop()
      await upload.stop()
      await renewal.stop()
      await inOrder.idle()
    },
  }
}

/** What bots record here goes to the store while they do; what ended bots have left, also by a crash of ours, goes there whole. */
async function uploadWhatIsHere(deps: AttendanceDeps, hosts: Hosts): Promise<void> {
  const here = await deps.uploads.here()
  for (const botId of here.filter((it) => hosts.has(it))) await deps.uploads.take(botId)
  for (const botId of await endedAmong(
    deps.db,
    here.filter((it) => !hosts.has(it)),
  ))
    await bringIn(deps, botId)
}

async function bringIn(deps: AttendanceDeps, botId: BotId): Promise<void> {
  await waitForRecording(deps.db, botId, LONGEST_UPLOAD_SECONDS)
  await deps.uploads.finish(botId)
  await waitForRecording(deps.db, botId, 0)
  deps.onRecorded()
}

type Report = Exclude<FromHost, { kind: 'performed' }>
type Writers = { readonly [Kind in Report['kind']]: (deps: AttendanceDeps, report: Extract<Report, { kind: Kind }>) => Promise<unknown> }

const WRITERS: Writers = {
  async moved(deps, { botId: bot, by, fence, at, message, reason }) {
    const status = await transition(deps, { bot, by, fence, at: new Date(at), message, ...(reason && { reason }) })
    if (status) await noteAccount(deps.db, bot, { by, reason, message })
  },
  recording: (deps, { botId: bot, fence, at }) => note(deps, { bot, fence, stage: 'Recording', at: new Date(at) }),
  people: ({ live }, { botId, roster }) => live.people(botId, roster),
  chat: ({ live }, { botId, message }) => live.chat(botId, message),
  words_failed: (deps, { botId: bot, message, at }) =>
    together(deps, (inside) => tellOf(inside, { bot, announcement: LIVE_WORDS_FAILED, message, at: new Date(at), extra: {} })),
  screenshot: (deps, { botId, file, at }) => keepScreenshot(deps, { botId, file, at: new Date(at) }),
  async failed(deps, { botId, step, message, pageText, screenshot: file, at: moment }) {
    const at = new Date(moment)
    const screenshot = file && (await keepScreenshot(deps, { botId, file, at }))
    await addEvidence(deps.db, botId, { at: at.toISOString(), step, message, pageText, screenshot })
  },
  async finished(deps, { botId }) {
    deps.live.ended(botId)
    await closeRoster(deps.db, botId, new Date())
    await bringIn(deps, botId)
  },
  broken: (deps, claim) => giveUp(deps, claim),
}

/** Whichever node takes the bot up again tells of it from then on. */
async function giveUp({ db, live, onDue }: AttendanceDeps, claim: Claim): Promise<void> {
  live.ended(claim.botId)
  await giveBack(db, claim)
  onDue()
}

/** What is said under a claim that is no longer the bot's changes nothing. */
async function write<Kind extends Report['kind']>(deps: AttendanceDeps, report: Extract<Report, { kind: Kind }>): Promise<void> {
  if (await holdsClaim(deps.db, report)) await WRITERS[report.kind as Kind](deps, report)
}

type InOrder<Key> = { (key: Key, work: () => Promise<unknown>): void; idle(): Promise<void> }

/** Work of one key is done one after another, of different keys side by side. */
function oneByOne<Key>(onError: (error: unknown, key: Key) => void): InOrder<Key> {
  const last = new Map<Key, Promise<unknown>>()
  const add = (key: Key, work: () => Promise<unknown>): void => {
    const done = (last.get(key) ?? Promise.resolve()).then(work).catch((error: unknown) => onError(error, key))
    last.set(key, done)
    void done.then(() => last.get(key) === done && last.delete(key))
  }
  return Object.assign(add, { idle: async () => void (await Promise.all(last.values())) })
}
