// The role `fleet`: the bots of this node, with their hosts, dispatch and supervision.
import { join, resolve } from 'node:path'
import { driverNameOf } from '../domain/platforms.ts'
import { type BotOrders, unreachable } from '../domain/protocol.ts'
import type { Logger } from '../kit/log.ts'
import type { Stops } from '../kit/stop-all.ts'
import type { DueBot, FreeSeats } from './db/claims.ts'
import { createLiveEvents } from './delivery/live-events.ts'
import { startAttendance } from './fleet/attendance.ts'
import { affordableBots, offeredSeats } from './fleet/capacity.ts'
import { startDispatch } from './fleet/dispatch.ts'
import { drain } from './fleet/drain.ts'
import { newFleetPace } from './fleet/fleet-pace.ts'
import { launchOf } from './fleet/host-process.ts'
import type { Hosts } from './fleet/hosts.ts'
import { keepInThread } from './fleet/keeper-client.ts'
import { type LaunchDeps, launch } from './fleet/launch.ts'
import { type Machine, startMachineMeter } from './fleet/machine-load.ts'
import { type OrderTools, ordersFor } from './fleet/orders.ts'
import { PendingLaunches } from './fleet/pending-launches.ts'
import type { SeatedBots } from './fleet/reach.ts'
import { startSupervision } from './fleet/supervise.ts'
import { Uploads } from './fleet/upload.ts'
import { type NodeParts, wakeAll } from './open-node.ts'
import { openHostSandboxes } from './open-sandboxes.ts'
import { readPlatformTables } from './platform-tables.ts'
import { liveVendorOf, speechFor } from './speech-orders.ts'
import { zoomObstacle } from './zoom-sdk.ts'

export type Fleet = {
  readonly seated: SeatedBots
  readonly seats: () => ReturnType<Hosts['seats']>
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
  dispatch: () => undefined,
  drain: async () => undefined,
}

/** A bot that joins costs more than one that stays, and its use is known only after a whole measurement. */
const SETTLES_AFTER_MS = 15_000

const NO_SEATS: FreeSeats = { open: 0, seatsPerBrowser: 1, own: new Map() }

export async function startFleet(parts: NodeParts, stops: Stops): Promise<Fleet> {
  const { config, db, connection, reachability, log, now, node, fleet, store, folders, wakes, draining, machine } = parts
  const live = createLiveEvents({ db, onNews: fleet.onNews, allowPrivate: config.ALLOW_INSECURE_URLS, now })
  stops.push(() => live.stop())
  const sandboxes = await openHostSandboxes(config, log)
  stops.push(() => sandboxes.close())
  const uploads = new Uploads({ store, recordings: folders.recordings })
  const runningExtent = config.S3_BUCKET ? 'everything' : 'closed segments'
  const launching = new PendingLaunches()
  const chromium = config.CHROMIUM_PATH && resolve(config.CHROMIUM_PATH)
  const browser = { browserMode: config.BROWSER_MODE, chromium, chromiumFlags: config.CHROMIUM_FLAGS }
  const attendance = startAttendance({
    deps: {
      ...{ ...fleet, nodeId: node.id, store, uploads, runningExtent, live, launching },
      onRecorded: () => wakeAll(wakes.recorded),
    },
    log,
    ...{ seatsPerHost: config.BOTS_PER_HOST, mostHosts: config.BOT_HOSTS, warmHosts: config.WARM_HOSTS },
    shareBrowsers: config.SHARE_BROWSERS,
    sandboxes,
    keeper: keepInThread({ connection, nodeId: node.id }),
    launchIn: (sandbox) => launchOf('host', { ...browser, sandbox }),
  })
  const { hosts } = attendance
  stops.push(() => attendance.stop())
  const measured = config.SEATS === 'measured' ? measuredSeats(hosts, { machine, launching, log, stops }) : () => Number.POSITIVE_INFINITY
  const affordable = () => (hosts.isStarved() ? 0 : measured())
  const toLaunch = launchDeps(parts, async (bot, orders) => {
    await uploads.restoreManifests(bot.id, orders.folder)
    hosts.place(orders, bot.workspaceId, launching.untilMs(bot.id))
  })
  return {
    seated: hosts,
    seats: () => offeredSeats(hosts.seats(), draining.aborted ? 0 : affordable()),
    dispatch(stops) {
      const freeSeats = () => (draining.aborted ? NO_SEATS : hosts.freeSeats())
      const bounds = { freeSeats, affordable, mostPerWorkspace: config.BOTS_PER_WORKSPACE || null }
      const pace = newFleetPace(Math.random)
      const dispatch = startDispatch({ db, log, nodeId: node.id, launching, pace, launch: (bot) => launch(toLaunch, bot), ...bounds })
      wakes.due.add(() => dispatch.wake())
      stops.push(() => dispatch.stop())
      const limits = { wasDown: reachability.wasDown, seatWaitSeconds: config.SEAT_WAIT_SECONDS }
      const supervision = startSupervision({ ...fleet, log, now, pace, zoom: config.zoom, ...limits })
      stops.push(() => supervision.stop())
    },
    drain: (interrupted) =>
      drain({
        countBots: () => hosts.bots().length + launching.claims().length,
        withinMs: config.DRAIN_SECONDS * 1000,
        handOver: () => attendance.handOver(),
        interrupted,
      }),
  }
}

type MeterTools = { readonly machine: Machine; readonly launching: PendingLaunches; readonly log: Logger; readonly stops: Stops }

/** How many more bots the machine can take, by its measured load. */
function measuredSeats(hosts: Hosts, { machine, launching, log, stops }: MeterTools): () => number {
  const meter = startMachineMeter({ machine, hostPids: () => hosts.pids(), log })
  stops.push(() => meter.stop())
  return () => {
    const measured = meter.latest()
    const settled = hosts.countSettled(SETTLES_AFTER_MS)
    const unsettled = hosts.bots().length + launching.claims().length - settled
    return measured ? affordableBots(measured.load, { use: measured.use, settled, unsettled }) : 0
  }
}

type Place = (bot: DueBot, orders: BotOrders) => Promise<void>

function launchDeps({ config, fleet, log, now, publicUrl, vault, providerKeys, rooms, folders }: NodeParts, place: Place): LaunchDeps {
  const tables = readPlatformTables(config.PLATFORM_TABLES)
  // Checked once: isolated hosts that already run cannot see a folder that is installed later.
  const obstacle = zoomObstacle(config.zoom)
  if (config.zoom.app && config.BOT_HOSTS > 0 && obstacle) log.warn(`Bots cannot join Zoom meetings: ${obstacle}.`)
  const orderTools: OrderTools = {
    folderOf: (botId) => join(folders.recordings, botId),
    allowPrivateUrls: config.ALLOW_INSECURE_URLS,
    driverFor: (platform) => driverNameOf(platform, config.zoom.way),
    tablesFor: (driver) => tables.get(driver) ?? null,
    sdkFolderFor: (driver) => (driver === 'zoom' && obstacle === null ? config.zoom.sdkFolder : null),
    specFor: (spec) => rooms.withBotToken(spec),
    speechFor: async (workspace, spec) => speechFor(config, await providerKeys.settingsFor(workspace, liveVendorOf(spec)), spec),
  }
  return {
    ...{ ...fleet, now, publicUrl, vault, zoom: config.zoom, zoomObstacle: obstacle },
    place: async (bot, signIn) => place(bot, await ordersFor(orderTools, bot, signIn)),
  }
}
