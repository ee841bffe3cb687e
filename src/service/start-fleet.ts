// The bots of this node, wired by hand: hosts with seats, dispatch that fills them, and what looks after both.
import { join, resolve } from 'node:path'
import type { Logger } from '../kit/log.ts'
import type { Stops } from '../kit/stop-all.ts'
import type { ObjectStore } from '../storage/store.ts'
import type { Tariff } from './accounts/credits.ts'
import type { ProviderKeys } from './accounts/provider-keys.ts'
import type { Vault } from './accounts/secrets.ts'
import type { Config } from './config.ts'
import type { Db } from './db/database.ts'
import type { LiveEvents } from './delivery/live-events.ts'
import { startAttendance } from './fleet/attendance.ts'
import { startDispatch } from './fleet/dispatch.ts'
import type { Quarters } from './fleet/host-quarters.ts'
import { type LaunchDeps, launch } from './fleet/launch.ts'
import { Launching } from './fleet/launching.ts'
import { newNode } from './fleet/nodes.ts'
import { type OrderTools, ordersFor } from './fleet/orders.ts'
import { startSupervision } from './fleet/supervise.ts'
import { Uploads } from './fleet/upload.ts'
import type { PlatformTables } from './platform-tables.ts'
import type { Door } from './room/door.ts'
import { liveVendorOf, speechFor } from './speech-orders.ts'
import { zoomObstacle } from './zoom-sdk.ts'

type FleetParts = {
  readonly db: Db
  /** For leases. */
  readonly urgent: Db
  readonly log: Logger
  readonly store: ObjectStore
  readonly live: LiveEvents
  readonly vault: Vault
  readonly providerKeys: ProviderKeys
  readonly rooms: Door
  readonly now: () => Date
  readonly onNews: () => void
  readonly onRecorded: () => void
  readonly quarters: Quarters
  readonly tables: PlatformTables
}

/** The bots of this node: once they may be sent, dispatch claims those that are due, and hosts seat them. */
export function startFleet(config: Config, parts: FleetParts, stops: Stops) {
  const { db, urgent, log, store, live, vault, providerKeys, rooms, quarters, tables, now, onNews, onRecorded } = parts
  const tariff: Tariff = { enforced: config.CREDITS === 'on', pricePerHour: config.PRICE_PER_HOUR, currency: config.CURRENCY }
  let wakeDispatch = (): void => undefined
  const fleet = { db, tariff, onNews, onDue: () => wakeDispatch() }
  const seats = { seatsPerHost: config.BOTS_PER_HOST, mostHosts: config.BOT_HOSTS, warmHosts: config.WARM_HOSTS }
  const recordings = join(config.DATA_DIR, 'recordings')
  const uploads = new Uploads({ store, recordings })
  const launching = new Launching()
  const attendance = startAttendance({
    deps: { ...fleet, urgentDb: urgent, store, uploads, live, launching, onRecorded },
    log,
    ...seats,
    browserMode: config.BROWSER_MODE,
    chromium: config.CHROMIUM_PATH && resolve(config.CHROMIUM_PATH),
    chromiumFlags: config.CHROMIUM_FLAGS,
    shareBrowsers: config.SHARE_BROWSERS,
    quarters,
  })
  const { hosts } = attendance
  stops.push(() => attendance.stop())

  const node = newNode(now())
  // At the start only: hosts that were started before cannot always see a folder that comes later.
  const obstacle = zoomObstacle(config.zoom)
  if (config.zoom.app && config.BOT_HOSTS > 0 && obstacle) log.warn(`Bots cannot join Zoom meetings: ${obstacle}.`)
  const orderTools: OrderTools = {
    folderOf: (botId) => join(recordings, botId),
    allowPrivateUrls: config.ALLOW_INSECURE_URLS,
    tablesFor: (platform) => tables.get(platform) ?? null,
    sdkFolderFor: (platform) => (platform === 'zoom' && obstacle === null ? config.zoom.sdkFolder : null),
    specFor: (spec) => rooms.forBot(spec),
    speechFor: async (workspace, spec) => speechFor(config, await providerKeys.settingsFor(workspace, liveVendorOf(spec)), spec),
  }
  const place: LaunchDeps['place'] = async (bot, signIn) => {
    const orders = await ordersFor(orderTools, bot, signIn)
    await uploads.bringBack(bot.id, orders.folder)
    hosts.place(orders, bot.workspaceId, launching.untilMs(bot.id))
  }
  const send = (publicUrl: () => string): void => {
    const toLaunch = { ...fleet, now, publicUrl, vault, zoom: config.zoom, zoomObstacle: obstacle, place }
    const bounds = { freeSeats: () => hosts.freeSeats(), mostPerWorkspace: config.BOTS_PER_WORKSPACE || null }
    const dispatch = startDispatch({ db, log, now, nodeId: node.id, launching, launch: (bot) => launch(toLaunch, bot), ...bounds })
    wakeDispatch = () => dispatch.wake()
    stops.push(() => dispatch.stop())
    const supervision = startSupervision({ ...fleet, log, now, seatWaitSeconds: config.SEAT_WAIT_SECONDS })
    stops.push(() => supervision.stop())
  }
  return { fleet, hosts, node, send }
}
