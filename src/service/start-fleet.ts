// The role `fleet`: the bots of this node, with their workers, dispatch and supervision.
import { join } from 'node:path'
import { driverNameOf } from '../domain/platforms.ts'
import { type BotOrders, unreachable } from '../domain/protocol.ts'
import type { Logger } from '../kit/log.ts'
import { type Stops, stopLater } from '../kit/stop-all.ts'
import { createBotTokens, teamsIdentityFor } from './accounts/teams-app.ts'
import type { Config } from './config.ts'
import type { DueBot, FreeSeats } from './db/fleet/claims.ts'
import { allReadBundles } from './db/fleet/nodes.ts'
import { createLiveEvents } from './delivery/live-events.ts'
import { type OrderTools, ordersFor } from './fleet/bot/orders.ts'
import { Uploads } from './fleet/bot/upload.ts'
import type { SeatedBots, Succeed } from './fleet/node/bot-requests.ts'
import { startDispatch } from './fleet/node/dispatch.ts'
import { drain } from './fleet/node/drain.ts'
import { newFleetPace } from './fleet/node/fleet-pace.ts'
import { askSuccessorBy } from './fleet/node/hand-over.ts'
import { LapseRights } from './fleet/node/lapse-rights.ts'
import { type LaunchDeps, launch } from './fleet/node/launch.ts'
import { type AnswerNode, answerFor, askNodesBy } from './fleet/node/node-questions.ts'
import { OverdueBots } from './fleet/node/overdue-bots.ts'
import { PendingLaunches } from './fleet/node/pending-launches.ts'
import { notePredecessors } from './fleet/node/predecessors.ts'
import { startRunningBots } from './fleet/node/running-bots.ts'
import { Strangers } from './fleet/node/strangers.ts'
import { startSupervision } from './fleet/node/supervise.ts'
import { affordableBots, offeredSeats } from './fleet/workers/capacity.ts'
import { freeJoinPlaces, joinPlaces } from './fleet/workers/joins.ts'
import { keepInThread } from './fleet/workers/keeper-client.ts'
import { type Machine, startMachineMeter } from './fleet/workers/machine-load.ts'
import { launchOf } from './fleet/workers/worker-process.ts'
import type { Workers } from './fleet/workers/workers.ts'
import { type NodeParts, wakeAll } from './open-node.ts'
import { browserIn, openWorkerSandboxes } from './open-sandboxes.ts'
import { type OwnPageRules, readPageRules } from './page-rules.ts'
import { liveVendorOf, speechFor } from './speech-orders.ts'
import { zoomObstacle } from './zoom-sdk.ts'

export type Fleet = {
  readonly seated: SeatedBots
  readonly seats: () => ReturnType<Workers['seats']>
  readonly answer: AnswerNode
  readonly succeed: Succeed
  /** The row of this node was renewed. */
  readonly onRenewed: (requestedMs: number) => void
  /** Starts to claim due bots, once this process listens. */
  dispatch(stops: Stops): void
  /** Waits until the bots of this process have ended or are handed over. */
  drain(interrupted: AbortSignal): Promise<void>
}

/** Of a process without the role. */
export const NO_FLEET: Fleet = {
  seated: {
    has: () => false,
    perform: async () => unreachable('This node has no bots'),
    glance: async () => null,
    leave: async () => false,
    evict: () => undefined,
  },
  seats: () => ({ seats: 0, freeSeats: 0, freedSeats: 0 }),
  answer: async () => ({ promisedMs: 0, holds: false }),
  succeed: async () => false,
  onRenewed: () => undefined,
  dispatch: () => undefined,
  drain: async () => undefined,
}

/** A bot that joins costs more than one that stays, and its use is known only after a whole measurement. */
const SETTLES_AFTER_MS = 15_000

/** The database has this long to answer when another node asks whether this one reaches it. */
const ASK_WITHIN_MS = 700

const NO_SEATS: FreeSeats = { open: 0, seatsPerBrowser: 1, own: new Map() }

export async function startFleet(parts: NodeParts, stops: Stops): Promise<Fleet> {
  const { config, db, connection, reachability, log, now, node, fleet, store, folders, wakes, draining, machine, amongNodes } = parts
  const live = stopLater(stops, createLiveEvents({ db, onNews: fleet.onNews, allowPrivate: config.ALLOW_INSECURE_URLS, now }))
  const sandboxes = await openWorkerSandboxes(config, log)
  stops.push(() => sandboxes.close())
  const uploads = new Uploads({ store, recordings: folders.recordings, allReadBundles: () => allReadBundles(db) })
  const outageSeconds = config.DATABASE_OUTAGE_SECONDS
  const launching = new PendingLaunches()
  const runningBots = startRunningBots({
    deps: { ...fleet, nodeId: node.id, outageSeconds, store, uploads, live, launching, onRecorded: () => wakeAll(wakes.recorded) },
    log,
    uploadEveryMs: config.UPLOAD_SECONDS * 1000,
    seatsPerWorker: config.BOTS_PER_WORKER,
    mostWorkers: config.BOT_WORKERS,
    warmWorkers: config.WARM_WORKERS,
    shareBrowsers: config.SHARE_BROWSERS,
    sandboxes,
    keeper: keepInThread({ connection, nodeId: node.id, outageSeconds }),
    askSuccessor: askSuccessorBy(amongNodes),
    launchIn: (sandbox) => launchOf('worker', { ...browserIn(config), sandbox }),
  })
  const { workers } = stopLater(stops, runningBots)
  const affordable = affordableSeats(config.SEATS, workers, { machine, launching, log, stops })
  const places = joinPlaces(await machine.cores())
  const pageRules = await readPageRules(config.PAGE_RULES)
  const toLaunch = launchDeps(parts, pageRules, async (bot, orders) => {
    await uploads.prepare(bot.id, orders.folder)
    workers.place(orders, bot.workspaceId, launching.untilMs(bot.id))
  })
  const predecessors = await predecessorsOf(parts)
  const countBots = () => workers.bots().length + launching.claims().length
  const canJoin = () => Math.min(affordable(), freeJoinPlaces(places, workers, launching))
  const rights = new LapseRights({ reachesDatabase: async () => (await reachability.problem(ASK_WITHIN_MS)) === null })
  return {
    seated: workers,
    answer: answerFor({ rights, holds: () => countBots() > 0 }),
    succeed: async (claim) =>
      !draining.aborted && runningBots.succeed(claim, { affordable: canJoin, launch: (bot) => launch(toLaunch, bot) }),
    onRenewed: (requestedMs) => rights.noteRenewal(requestedMs),
    seats: () => offeredSeats(workers.seats(), draining.aborted ? 0 : affordable()),
    dispatch(stops) {
      const freeSeats = () => (draining.aborted ? NO_SEATS : workers.freeSeats())
      const bounds = { freeSeats, affordable: canJoin, mostPerWorkspace: config.BOTS_PER_WORKSPACE || null }
      const pace = newFleetPace(Math.random)
      const dispatch = startDispatch({ db, log, nodeId: node.id, launching, pace, launch: (bot) => launch(toLaunch, bot), ...bounds })
      wakes.due.add(() => dispatch.wake())
      stopLater(stops, dispatch)
      const limits = { wasDown: reachability.wasDown, seatWaitSeconds: config.SEAT_WAIT_SECONDS }
      const strangers = new Strangers({ ask: askNodesBy(amongNodes, config.NODE_URL), predecessors })
      const ending = { nodeId: node.id, rights, strangers, overdue: new OverdueBots() }
      stopLater(stops, startSupervision({ ...fleet, log, now, pace, joinPlaces: places, zoom: config.zoom, ...limits, ...ending }))
    },
    drain: (interrupted) => drain({ countBots, withinMs: config.DRAIN_SECONDS * 1000, bots: runningBots, interrupted }),
  }
}

/** None on a full disk: then it asks earlier processes like other nodes. */
function predecessorsOf({ config, node, log }: NodeParts): Promise<ReadonlySet<string>> {
  return notePredecessors(config.DATA_DIR, node.id).catch((error: unknown) => {
    log.warn({ err: error }, 'earlier processes of this node could not be read or noted')
    return new Set<string>()
  })
}

type MeterTools = { readonly machine: Machine; readonly launching: PendingLaunches; readonly log: Logger; readonly stops: Stops }

/** How many more bots the machine can take: none while its bots have too little CPU, and otherwise by its measured load, if that counts. */
function affordableSeats(seats: Config['SEATS'], workers: Workers, { machine, launching, log, stops }: MeterTools): () => number {
  if (seats === 'fixed') return () => (workers.isStarved() ? 0 : Number.POSITIVE_INFINITY)
  const meter = stopLater(stops, startMachineMeter({ machine, workerPids: () => workers.pids(), log }))
  return () => {
    const measured = meter.latest()
    const settled = workers.countSettled(SETTLES_AFTER_MS)
    const unsettled = workers.bots().length + launching.claims().length - settled
    return measured && !workers.isStarved() ? affordableBots(measured.load, { use: measured.use, settled, unsettled }) : 0
  }
}

type Place = (bot: DueBot, orders: BotOrders) => Promise<void>

function launchDeps(parts: NodeParts, pageRules: OwnPageRules, place: Place): LaunchDeps {
  const { config, db, fleet, log, now, publicUrl, vault, providerKeys, rooms, folders, amongNodes } = parts
  // Checked once: isolated workers that already run cannot see a folder that is installed later.
  const obstacle = zoomObstacle(config.zoom)
  if (config.zoom.app && config.BOT_WORKERS > 0 && obstacle) log.warn(`Bots cannot join Zoom meetings: ${obstacle}.`)
  const tokens = createBotTokens({ http: amongNodes, loginUrl: config.MICROSOFT_LOGIN_URL, now })
  const orderTools: OrderTools = {
    folderOf: (botId) => join(folders.recordings, botId),
    allowPrivateUrls: config.ALLOW_INSECURE_URLS,
    driverFor: (platform) => driverNameOf(platform, config.zoom.way),
    pageRulesFor: (driver) => pageRules.get(driver) ?? null,
    sdkFolderFor: (driver) => (driver === 'zoom' && obstacle === null ? config.zoom.sdkFolder : null),
    specFor: (spec) => rooms.withBotToken(spec),
    identityFor: async (workspace, { meeting }) =>
      meeting.platform === 'teams' ? teamsIdentityFor({ db, vault, tokens, app: config.teamsApp }, workspace) : null,
    speechFor: async (workspace, spec) => speechFor(config, await providerKeys.settingsFor(workspace, liveVendorOf(spec)), spec),
  }
  return {
    ...fleet,
    now,
    publicUrl,
    vault,
    zoom: config.zoom,
    zoomObstacle: obstacle,
    place: async (bot, signIn) => place(bot, await ordersFor(orderTools, bot, signIn)),
  }
}
