// Running bots of this node: writes their hosts' reports, names their claims to the keeper, uploads their recordings, and requeues lost ones.
import type { LossReason } from '../../domain/absences.ts'
import type { BotId } from '../../domain/bot.ts'
import type { Logger } from '../../kit/log.ts'
import { type Loop, startLoop } from '../../kit/loop.ts'
import { hasEnded } from '../db/bots.ts'
import type { Claim } from '../db/claims.ts'
import { waitForRecording } from '../db/recordings.ts'
import type { HostLaunch } from './host-process.ts'
import type { HostSandbox } from './host-sandbox.ts'
import { type HostOptions, Hosts } from './hosts.ts'
import type { Renewed } from './keeper.ts'
import { KeeperClient, type KeeperLink } from './keeper-client.ts'
import { loseBot } from './lose.ts'
import type { PendingLaunches } from './pending-launches.ts'
import { type ReportDeps, Reports } from './reports.ts'
import type { Extent, Uploads } from './upload.ts'

const TICK_MS = 1_000
const LEAVE_WITHIN_MS = 20_000
const UPLOAD_EVERY_MS = 5_000
/** A bot is handed over without the rest of its recording if the upload takes longer. The rest follows at the next start. */
const HAND_OVER_WITHIN_MS = 10_000
/** After this a recording is processed as far as it was uploaded: its node will not upload the rest. */
const LONGEST_UPLOAD_SECONDS = 600

type AttendanceDeps = Omit<ReportDeps, 'collectRecording'> & {
  readonly nodeId: string
  readonly uploads: Uploads
  /** The upload of a bot that sits here. A store on another machine takes open segments too, because this disk may be lost. */
  readonly runningExtent: Extent
  readonly launching: PendingLaunches
  /** A recording is complete and can be processed. */
  readonly onRecorded: () => void
}

export type AttendanceOptions = Omit<HostOptions, 'onReport' | 'onLost' | 'startProcess'> & {
  readonly deps: AttendanceDeps
  readonly log: Logger
  readonly keeper: KeeperLink
  readonly launchIn: (sandbox: HostSandbox) => HostLaunch
}

export type Attendance = {
  readonly hosts: Hosts
  /** Makes the bots leave for another node, which continues their recordings. */
  handOver(): Promise<void>
  stop(): Promise<void>
}

export function startAttendance({ deps, log, keeper: link, launchIn, ...options }: AttendanceOptions): Attendance {
  const reports = new Reports({ ...deps, collectRecording: (botId) => collectRecording(deps, botId) }, log)
  const lose = ({ botId, fence }: Claim, reason: LossReason): void => {
    log.warn({ botId, reason }, 'a bot lost its session')
    reports.add({ kind: 'lost', botId, fence, reason, at: Date.now() })
  }
  const keeper = new KeeperClient(link, { log, onRenewed: (renewed) => applyRenewal(renewed) })
  const startProcess = (sandbox: HostSandbox) => keeper.startHost(launchIn(sandbox))
  const hosts = new Hosts({ ...options, startProcess, log, onReport: (report) => reports.add(report), onLost: lose })
  const applyRenewal = renewalOf(deps, hosts)
  /** Claims of bots that have left and whose recordings are being uploaded. */
  let leaving: readonly Claim[] = []
  const ticks = setInterval(() => {
    hosts.tick()
    keeper.setClaims([...hosts.bots(), ...deps.launching.claims(), ...reports.pending(), ...leaving])
  }, TICK_MS)
  const upload: Loop = startLoop({
    async work() {
      await uploadRecordings(deps, hosts)
      return UPLOAD_EVERY_MS
    },
    onError: (error) => log.error({ err: error }, 'recordings could not be uploaded; they stay here and are tried again'),
    retryMs: UPLOAD_EVERY_MS,
  })
  /** Another node, or the next start, claims them at once. */
  const requeue = async (bots: readonly Claim[], reason: LossReason): Promise<void> => {
    const lost = bots.map((claim) => loseBot(deps, claim, { reason, from: new Date() }))
    const failed = (await Promise.allSettled(lost)).find((it) => it.status === 'rejected')
    if (failed) log.warn({ err: failed.reason }, 'bots could not be returned to the queue; their leases lapse')
  }
  return {
    hosts,
    async handOver() {
      leaving = hosts.bots()
      await hosts.stop()
      await uploadWithin(deps, leaving, HAND_OVER_WITHIN_MS).catch((error: unknown) =>
        log.warn({ err: error }, 'a recording could not be uploaded before its bot was handed over'),
      )
      await requeue(leaving, 'HandedOver')
      leaving = []
    },
    async stop() {
      const unfinished = await hosts.stop()
      await upload.stop()
      await reports.stop()
      clearInterval(ticks)
      await keeper.stop()
      await requeue(unfinished, 'ServerRestarted')
    },
  }
}

/** Extends pending launches, and sends away seated bots that have ended or that another node claimed. */
function renewalOf({ launching }: AttendanceDeps, hosts: Hosts): (renewed: Renewed) => void {
  const leaving = new Set<BotId>()
  /** If the bot does not leave in time, its host is killed. */
  const sendAway = async (botId: BotId): Promise<void> => {
    if (leaving.has(botId)) return
    leaving.add(botId)
    if (!(await hosts.leave(botId, 'The bot is no longer wanted', LEAVE_WITHIN_MS))) hosts.evict(botId)
    leaving.delete(botId)
  }
  return ({ claims, kept, untilMs }) => {
    launching.extend(kept, untilMs)
    for (const { botId, fence } of claims) if (!kept.has(botId) && hosts.has(botId, fence)) void sendAway(botId)
  }
}

/** Uploads growing recordings of bots that sit here, and finishes those of other bots, also after a crash. */
async function uploadRecordings(deps: AttendanceDeps, hosts: Hosts): Promise<void> {
  const uploadOne = (botId: BotId) => (hosts.has(botId) ? deps.uploads.upload(botId, deps.runningExtent) : collectRecording(deps, botId))
  // Side by side, so that many bots do not delay each other's segments.
  const uploaded = await Promise.allSettled((await deps.uploads.recordedBots()).map(uploadOne))
  const failed = uploaded.find((it) => it.status === 'rejected')
  if (failed) throw failed.reason
}

async function uploadWithin({ uploads }: AttendanceDeps, bots: readonly Claim[], withinMs: number): Promise<void> {
  const limit = AbortSignal.timeout(withinMs)
  const late = new Promise<never>((_, reject) => limit.addEventListener('abort', () => reject(limit.reason)))
  await Promise.race([Promise.all(bots.map(({ botId }) => uploads.upload(botId, 'everything'))), late])
}

/**
 * Uploads before it asks the database: a node that cannot reach the database loses its bots to other nodes. The files stay here until the bot has
 * ended, because it may be sent here again and continues in the same folder.
 */
async function collectRecording(deps: AttendanceDeps, botId: BotId): Promise<void> {
  await deps.uploads.upload(botId, 'everything')
  const { db, nodeId } = deps
  if (!(await hasEnded(db, botId))) return
  await waitForRecording(db, botId, { seconds: LONGEST_UPLOAD_SECONDS, nodeId })
  await deps.uploads.finish(botId)
  await waitForRecording(db, botId, { seconds: 0, nodeId })
  deps.onRecorded()
}
