// Bots that are out: their hosts' reports are written, their claims renewed, their recordings uploaded, and lost ones sent again.
import type { LossReason } from '../../domain/absences.ts'
import type { BotId } from '../../domain/bot.ts'
import type { Logger } from '../../kit/log.ts'
import { type Loop, startLoop } from '../../kit/loop.ts'
import { monotonicMs } from '../../kit/monotonic.ts'
import { hasEnded } from '../db/bots.ts'
import { type Claim, renewClaims } from '../db/claims.ts'
import type { Db } from '../db/database.ts'
import { waitForRecording } from '../db/recordings.ts'
import { type HostOptions, Hosts } from './hosts.ts'
import type { Launching } from './launching.ts'
import { holdUntil, LEASE_SECONDS, RENEW_EVERY_MS } from './lease.ts'
import { loseBot } from './lose.ts'
import { type ReportDeps, Reports } from './reports.ts'
import type { Uploads } from './upload.ts'

const RETRY_MS = 500
const TICK_MS = 1_000
const LEAVE_WITHIN_MS = 20_000
const UPLOAD_EVERY_MS = 5_000
/** After this a recording is processed as far as it got: its node will not bring the rest. */
const LONGEST_UPLOAD_SECONDS = 600

type AttendanceDeps = Omit<ReportDeps, 'bringIn'> & {
  readonly uploads: Uploads
  /** Answers in time also while other statements wait. */
  readonly urgentDb: Db
  readonly launching: Launching
  /** A recording is complete and can be processed. */
  readonly onRecorded: () => void
}

export type AttendanceOptions = Omit<HostOptions, 'onReport' | 'onLost'> & { readonly deps: AttendanceDeps; readonly log: Logger }

export type Attendance = { readonly hosts: Hosts; stop(): Promise<void> }

export function startAttendance({ deps, log, ...options }: AttendanceOptions): Attendance {
  const reports = new Reports({ ...deps, bringIn: (botId) => bringIn(deps, botId) }, log)
  const lose = ({ botId, fence }: Claim, reason: LossReason): void => {
    log.warn({ botId, reason }, 'a bot lost its session')
    reports.add({ kind: 'lost', botId, fence, reason, at: Date.now() })
  }
  const hosts = new Hosts({ ...options, log, onReport: (report) => reports.add(report), onLost: lose })
  const ticks = setInterval(() => hosts.tick(), TICK_MS)
  const renewal = startRenewal(deps, { hosts, reports, log })
  const upload: Loop = startLoop({
    async work() {
      await uploadWhatIsHere(deps, hosts)
      return UPLOAD_EVERY_MS
    },
    onError: (error) => log.error({ err: error }, 'recordings could not be uploaded; they stay here and are tried again'),
    retryMs: UPLOAD_EVERY_MS,
  })
  return {
    hosts,
    async stop() {
      const unfinished = await hosts.stop()
      clearInterval(ticks)
      await upload.stop()
      await renewal.stop()
      await reports.stop()
      // Another node, or the next start, takes them up at once.
      const lost = unfinished.map((claim) => loseBot(deps, claim, { reason: 'ServerRestarted', from: new Date() }))
      const failed = (await Promise.allSettled(lost)).find((it) => it.status === 'rejected')
      if (failed) log.warn({ err: failed.reason }, 'bots could not be given back; their leases run out')
    },
  }
}

type RenewalTools = { readonly hosts: Hosts; readonly reports: Reports; readonly log: Logger }

/** Without a renewal nothing happens here: a host leaves its meetings by its own clock. */
function startRenewal({ urgentDb, launching }: AttendanceDeps, { hosts, reports, log }: RenewalTools): Loop {
  const leaving = new Set<BotId>()
  /** Ended meanwhile, or claimed by another node. One that keeps its seat all the same is ended with its host. */
  const sendAway = async (botId: BotId): Promise<void> => {
    if (leaving.has(botId)) return
    leaving.add(botId)
    if (!(await hosts.leave(botId, 'The bot is no longer wanted', LEAVE_WITHIN_MS))) hosts.evict(botId)
    leaving.delete(botId)
  }
  return startLoop({
    async work() {
      const askedMs = monotonicMs()
      const seated = hosts.bots()
      const kept = await renewClaims(urgentDb, [...seated, ...launching.claims(), ...reports.pending()], LEASE_SECONDS)
      const untilMs = holdUntil(askedMs)
      hosts.hold(kept, untilMs)
      launching.extend(kept, untilMs)
      for (const { botId } of seated) if (!kept.has(botId)) void sendAway(botId)
      return RENEW_EVERY_MS
    },
    onError: (error) => log.error({ err: error }, 'claims could not be renewed'),
    retryMs: RETRY_MS,
  })
}

/** Recordings of bots that sit here are uploaded while they grow; those of others, also after a crash, as far as they got. */
async function uploadWhatIsHere(deps: AttendanceDeps, hosts: Hosts): Promise<void> {
  for (const botId of await deps.uploads.here()) {
    if (hosts.has(botId)) await deps.uploads.take(botId, 'closed segments')
    else await bringIn(deps, botId)
  }
}

/**
 * Uploading needs no database: a node that is cut off from it is the one whose bots others take over. What is uploaded stays here until the
 * bot has ended, because the bot may be sent here again and goes on in the same folder.
 */
async function bringIn(deps: AttendanceDeps, botId: BotId): Promise<void> {
  await deps.uploads.take(botId, 'everything')
  if (!(await hasEnded(deps.db, botId))) return
  await waitForRecording(deps.db, botId, LONGEST_UPLOAD_SECONDS)
  await deps.uploads.finish(botId)
  await waitForRecording(deps.db, botId, 0)
  deps.onRecorded()
}
