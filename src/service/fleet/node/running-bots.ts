// Running bots of this node: writes their workers' reports, names their claims to the keeper, uploads their recordings, and requeues lost ones.
import type { LossReason } from '../../../domain/absences.ts'
import type { BotId } from '../../../domain/bot.ts'
import type { Logger } from '../../../kit/log.ts'
import { type Loop, startLoop } from '../../../kit/loop.ts'
import { hasEnded } from '../../db/fleet/bots.ts'
import type { Claim } from '../../db/fleet/claims.ts'
import { waitForRecording } from '../../db/media/recordings.ts'
import { loseBot } from '../bot/lose.ts'
import type { Uploads } from '../bot/upload.ts'
import type { Renewed } from '../workers/keeper.ts'
import { KeeperClient, type KeeperLink } from '../workers/keeper-client.ts'
import type { WorkerLaunch } from '../workers/worker-process.ts'
import type { WorkerSandbox } from '../workers/worker-sandbox.ts'
import { type WorkerOptions, Workers } from '../workers/workers.ts'
import { type AskSuccessor, HandOver, type HandOverLimits } from './hand-over.ts'
import type { PendingLaunches } from './pending-launches.ts'
import { type ReportDeps, Reports } from './reports.ts'
import { type Launching, Successions } from './successions.ts'

const TICK_MS = 1_000
const LEAVE_WITHIN_MS = 20_000
const UPLOAD_RETRY_MS = 5_000
/** A bot is handed over without the rest of its recording if the upload takes longer. The rest follows at the next start. */
const HAND_OVER_WITHIN_MS = 10_000
/** After this a recording is processed as far as it was uploaded: its node will not upload the rest. */
const LONGEST_UPLOAD_SECONDS = 600

type RunningBotsDeps = Omit<ReportDeps, 'collectRecording' | 'successions'> & {
  readonly nodeId: string
  readonly uploads: Uploads
  readonly launching: PendingLaunches
  /** A recording is complete and can be processed. */
  readonly onRecorded: () => void
}

export type RunningBotsOptions = Omit<WorkerOptions, 'onReport' | 'onLost' | 'startProcess'> & {
  readonly askSuccessor: AskSuccessor
  readonly deps: RunningBotsDeps
  readonly log: Logger
  readonly keeper: KeeperLink
  readonly launchIn: (sandbox: WorkerSandbox) => WorkerLaunch
  /** How much of a recording the loss of this machine may cost. Each upload of a bot is a request to the store. */
  readonly uploadEveryMs: number
}

export type RunningBots = {
  readonly workers: Workers
  /** Joins beside the holder of the claim. False: the bot cannot be succeeded here. */
  succeed(claim: Claim, launching: Launching): Promise<boolean>
  /** Lets other nodes succeed the bots, one at a time. */
  handOverInTurn(limits: HandOverLimits): Promise<void>
  /** Makes the bots leave for another node, which continues their recordings. */
  handOver(): Promise<void>
  stop(): Promise<void>
}

export function startRunningBots({
  deps,
  log,
  keeper: link,
  launchIn,
  uploadEveryMs,
  askSuccessor: ask,
  ...options
}: RunningBotsOptions): RunningBots {
  const successions: ReportDeps['successions'] = { takeOver: (claim) => successor.takeOver(claim), end: (claim) => successor.end(claim) }
  const reports = new Reports({ ...deps, successions, collectRecording: (botId) => collectRecording(deps, botId) }, log)
  const lose = ({ botId, fence }: Claim, reason: LossReason): void => {
    log.warn({ botId, reason }, 'a bot lost its session')
    reports.add({ kind: 'lost', botId, fence, reason, at: Date.now() })
    // Another node may continue the recording, and end it before the next upload.
    upload.wake()
  }
  const keeper = new KeeperClient(link, { log, onRenewed: (renewed) => applyRenewal(renewed) })
  const startProcess = (sandbox: WorkerSandbox) => keeper.startWorker(launchIn(sandbox))
  const workers = new Workers({ ...options, startProcess, log, onReport: (report) => reports.add(report), onLost: lose })
  const successor = new Successions({ ...deps, log, workers })
  const handOver = new HandOver({ ...deps, log, ask, workers })
  const applyRenewal = renewalOf(deps, workers, handOver)
  /** Claims of bots that have left and whose recordings are being uploaded. */
  let leaving: readonly Claim[] = []
  const ticks = setInterval(() => {
    workers.tick()
    keeper.setClaims([...workers.bots(), ...deps.launching.claims(), ...reports.pending(), ...leaving])
  }, TICK_MS)
  const upload: Loop = startLoop({
    async work() {
      await uploadRecordings(deps, workers)
      return uploadEveryMs
    },
    onError: (error) => log.error({ err: error }, 'recordings could not be uploaded; they stay here and are tried again'),
    retryMs: UPLOAD_RETRY_MS,
  })
  /** Another node, or the next start, claims them at once. */
  const requeue = async (bots: readonly Claim[], reason: LossReason): Promise<void> => {
    const lost = bots.map((claim) => loseBot(deps, claim, { reason, from: new Date() }))
    const failed = (await Promise.allSettled(lost)).find((it) => it.status === 'rejected')
    if (failed) log.warn({ err: failed.reason }, 'bots could not be returned to the queue; their leases lapse')
  }
  return {
    workers,
    succeed: (claim, launching) => successor.succeed(claim, launching),
    handOverInTurn: (limits) => handOver.inTurn(limits),
    async handOver() {
      leaving = workers.bots()
      await workers.stop()
      await uploadWithin(deps, leaving, HAND_OVER_WITHIN_MS).catch((error: unknown) =>
        log.warn({ err: error }, 'a recording could not be uploaded before its bot was handed over'),
      )
      await requeue(leaving, 'HandedOver')
      leaving = []
    },
    async stop() {
      const unfinished = await workers.stop()
      await upload.stop()
      await reports.stop()
      clearInterval(ticks)
      await keeper.stop()
      await requeue(unfinished, 'ServerRestarted')
    },
  }
}

/** Extends pending launches, and sends away seated bots that have ended or that another node claimed. */
function renewalOf({ launching }: RunningBotsDeps, workers: Workers, handOver: HandOver): (renewed: Renewed) => void {
  const leaving = new Set<BotId>()
  /** If the bot does not leave in time, its worker is killed. */
  const sendAway = async (botId: BotId): Promise<void> => {
    if (leaving.has(botId)) return
    leaving.add(botId)
    if (!(await workers.leave(botId, 'The bot is no longer wanted', LEAVE_WITHIN_MS))) workers.evict(botId)
    leaving.delete(botId)
  }
  return ({ claims, kept, untilMs }) => {
    launching.extend(kept, untilMs)
    for (const { botId, fence } of claims)
      if (!kept.has(botId) && workers.has(botId, fence) && !handOver.isHandingOver(botId)) void sendAway(botId)
  }
}

/** Uploads growing recordings of bots that sit here, and finishes those of other bots, also after a crash. */
async function uploadRecordings(deps: RunningBotsDeps, workers: Workers): Promise<void> {
  const uploadOne = (botId: BotId) => (workers.has(botId) ? deps.uploads.upload(botId) : collectRecording(deps, botId))
  // Side by side: the bots take turns in `Uploads`, so a long backlog does not delay the segments of other bots.
  const uploaded = await Promise.allSettled((await deps.uploads.recordedBots()).map(uploadOne))
  const failed = uploaded.find((it) => it.status === 'rejected')
  if (failed) throw failed.reason
}

async function uploadWithin({ uploads }: RunningBotsDeps, bots: readonly Claim[], withinMs: number): Promise<void> {
  const limit = AbortSignal.timeout(withinMs)
  const late = new Promise<never>((_, reject) => limit.addEventListener('abort', () => reject(limit.reason)))
  await Promise.race([Promise.all(bots.map(({ botId }) => uploads.upload(botId))), late])
}

/**
 * Uploads before it asks the database: a node that cannot reach the database loses its bots to other nodes. The files stay here until the bot has
 * ended, because it may be sent here again and continues in the same folder.
 */
async function collectRecording(deps: RunningBotsDeps, botId: BotId): Promise<void> {
  await deps.uploads.upload(botId)
  const { db, nodeId } = deps
  if (!(await hasEnded(db, botId))) return
  await waitForRecording(db, botId, { seconds: LONGEST_UPLOAD_SECONDS, nodeId })
  await deps.uploads.finish(botId)
  await waitForRecording(db, botId, { seconds: 0, nodeId })
  deps.onRecorded()
}
