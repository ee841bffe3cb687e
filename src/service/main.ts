// The service, wired by hand: configuration in, everything started once, and stopped in the opposite order.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import packageFile from '../../package.json' with { type: 'json' }
import type { BotId, WorkspaceId } from '../domain/bot.ts'
import { type ProviderName, vendorOf } from '../domain/speech-providers.ts'
import { createLog, type Logger } from '../kit/log.ts'
import { createOutgoing } from '../kit/outgoing.ts'
import { findProgram } from '../kit/programs.ts'
import { type Stops, stopAll } from '../kit/stop-all.ts'
import { runtimeProblem } from '../speech/own-model-runtime.ts'
import { openSpeech } from '../speech/registry.ts'
import type { ObjectStore } from '../storage/store.ts'
import { createKeys } from './accounts/keys.ts'
import { openVault } from './accounts/open-vault.ts'
import { setUpToken } from './accounts/people.ts'
import { createProviderKeys, type ProviderKeys } from './accounts/provider-keys.ts'
import type { Vault } from './accounts/secrets.ts'
import { bootstrap, type NewWorkspace } from './accounts/workspaces.ts'
import { createDeliveryIds } from './api/delivery-ids.ts'
import { botPreparer } from './api/routes/calendar-bot.ts'
import { createServer } from './api/server.ts'
import { type CalendarOptions, startCalendars } from './calendar/start.ts'
import { type Config, ConfigError } from './config.ts'
import type { Db } from './db/database.ts'
import { isUnreachable } from './db/unreachable.ts'
import { startDelivery } from './delivery/deliver.ts'
import { startFollowers } from './delivery/followers.ts'
import { createLiveEvents } from './delivery/live-events.ts'
import { startSweep } from './delivery/sweep.ts'
import { watchDiskSpace } from './disk-space.ts'
import { startRetention } from './fleet/delete.ts'
import { startNode } from './fleet/nodes.ts'
import { createReach, type NodeWish, obey } from './fleet/reach.ts'
import type { TransitionDeps } from './fleet/transition.ts'
import { openAudioFormats } from './media/audio-formats.ts'
import { createLinks } from './media/links.ts'
import { startProcessing } from './media/processing.ts'
import { startTranscribing } from './media/transcribing.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { openObjectStore } from './open-objects.ts'
import { openHostQuarters } from './open-quarters.ts'
import { openStore, type Store } from './open-store.ts'
import { readPlatformTables } from './platform-tables.ts'
import { createDoor, type Door } from './room/door.ts'
import { attachSignalling } from './room/signalling.ts'
import { startFleet } from './start-fleet.ts'

/** `serve` ends the process after ten seconds. */
const STOP_WITHIN_MS = 8_000

export type Service = {
  readonly url: string
  /** What an empty database was given; the only time its key can be read. */
  readonly firstWorkspace: NewWorkspace | null
  /** Where the first person makes their account; null once somebody has one. */
  readonly setUpUrl: string | null
  stop(): Promise<void>
}

export type ServiceOptions = {
  /** Told in a sentence what takes time. */
  readonly onProgress?: (sentence: string) => void
}

export async function startService(config: Config, { onProgress }: ServiceOptions = {}): Promise<Service> {
  const log = createLog({ level: config.LOG_LEVEL, pretty: config.LOG_FORMAT === 'pretty' })
  const stops: Stops = []
  // What a silent database cannot be told ends by itself: leases run out.
  const onProblem = (problem: unknown): void => {
    if (!isUnreachable(problem)) log.error({ err: problem }, 'a part could not be stopped cleanly')
  }
  const stop = () => stopAll(stops, STOP_WITHIN_MS, onProblem)
  try {
    checkNeeds(config)
    await mkdir(config.DATA_DIR, { recursive: true })
    const store = await openStore(config, { log, stops, onProgress: onProgress ?? (() => undefined) })
    const firstWorkspace = await bootstrap(store.db, { apiKey: config.BOOTSTRAP_API_KEY, at: new Date() })
    const token = config.DASHBOARD === 'on' ? await newSetUpToken(store.db, log) : null
    const url = await startParts(config, store, log, stops)
    return { url, firstWorkspace, setUpUrl: token && `${config.PUBLIC_URL ?? url}/set-up#${token}`, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** A database that takes no writes, as on a full disk, is no reason not to start: the next start gives a link. */
function newSetUpToken(db: Db, log: Logger): Promise<string | null> {
  return setUpToken(db, new Date()).catch((error: unknown) => {
    log.warn({ err: error }, 'no set-up link could be made for the dashboard')
    return null
  })
}

/** What a setting needs that may not be there. */
function checkNeeds({ NATIVE_MODEL, BROWSER_MODE, BOT_HOSTS }: Config): void {
  const problem = NATIVE_MODEL && runtimeProblem()
  if (problem) throw new ConfigError(`NATIVE_MODEL: ${problem}`)
  if (BROWSER_MODE === 'headed' && BOT_HOSTS > 0 && !findProgram('Xvfb'))
    throw new ConfigError('BROWSER_MODE is headed, which needs Xvfb. Install the packages xvfb and xdotool, or set it to auto or headless.')
}

async function startParts(config: Config, { db, urgent, reachability }: Store, log: Logger, stops: Stops): Promise<string> {
  const now = () => new Date()
  const metrics = createMetrics()
  const tables = readPlatformTables(config.PLATFORM_TABLES)
  const { secretKey, vault } = await openVault({ db, given: config.SECRET_KEY, folder: config.DATA_DIR, now })
  const providerKeys = createProviderKeys({ db, vault }, config.speech)
  const disk = await watchDiskSpace({ folder: config.DATA_DIR, leastMegabytes: config.MIN_FREE_DISK_MB, log })
  stops.push(() => disk.stop())
  const store = await openObjectStore(config)

  let url = ''
  const publicUrl = () => config.PUBLIC_URL ?? url
  const rooms = createDoor({ mode: config.ROOM, host: config.HOST, secretKey, publicUrl, now: Date.now })

  const { onNews, live, followers } = startTelling(config, { db, log, vault, metrics, now }, stops)
  let wakeProcessing = (): void => undefined
  const quarters = await openHostQuarters(config, log)
  stops.push(() => quarters.close())
  const { fleet, hosts, node, send } = startFleet(
    config,
    { db, urgent, log, store, live, vault, providerKeys, rooms, quarters, tables, now, onNews, onRecorded: () => wakeProcessing() },
    stops,
  )
  const afterCall = startAfterCall(config, { ...fleet, log, store, providerKeys, now }, stops)
  wakeProcessing = afterCall.wake
  const amongNodes = createOutgoing({ allowPrivate: true })
  stops.push(() => amongNodes.close())
  const reach = createReach({ hosts, db, ownNodeId: node.id, outgoing: amongNodes })

  const links = createLinks({ key: secretKey, publicUrl, now })
  const inside = { key: node.key, obey: (botId: BotId, wish: NodeWish) => obey(hosts, botId, wish) }
  const calendars = openCalendars(config, { db, log, vault, providerKeys, fleet, now, publicUrl, rooms }, stops)
  const formats = join(config.DATA_DIR, 'formats')
  const audioFormats = await openAudioFormats({ db, store, log, folder: formats, threads: 1, now })
  stops.push(() => audioFormats.stop())
  const deletion = { ...fleet, store, recordings: [join(config.DATA_DIR, 'recordings'), formats, ...afterCall.folders] }
  const retention = startRetention({ ...deletion, log, now })
  stops.push(() => retention.stop())
  const deliveryIds = createDeliveryIds(secretKey)
  const bots = { fleet, deletion, reach, node: inside, store, links, deliveryIds, followers, rooms, audioFormats, ...calendars }
  const deps = { config, publicUrl, db, reachability, disk, log, keys: createKeys({ db, now }), vault, providerKeys, metrics, now, ...bots }
  const server = await createServer(deps, packageFile.version)
  stops.push(() => server.close())
  const entrance = { admit: rooms.admit, publicUrl: config.PUBLIC_URL, listeningUrl: () => url, trustProxy: config.TRUST_PROXY }
  const signalling = attachSignalling(server.server, { now: Date.now, ...entrance })
  stops.push(() => signalling.close())
  await server.listen({ port: config.PORT, host: config.HOST })
  const address = server.server.address()
  const port = typeof address === 'object' && address ? address.port : config.PORT
  url = `http://${config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST}:${port}`
  const alive = startNode({ db: urgent, log, node, address: config.NODE_URL ?? url, seats: () => hosts.seats() })
  stops.push(() => alive.stop())
  // Not earlier: bots that sign in are told where we are.
  send(publicUrl)
  return url
}

type TellingParts = {
  readonly db: Db
  readonly log: Logger
  readonly vault: Vault
  readonly metrics: Metrics
  readonly now: () => Date
}

/** What happens is told: to webhooks, and to whoever follows live. */
function startTelling(config: Config, { db, log, vault, metrics, now }: TellingParts, stops: Stops) {
  const outgoing = createOutgoing({ allowPrivate: config.ALLOW_INSECURE_URLS })
  stops.push(() => outgoing.close())
  const onAttempt = (outcome: string, durationMs: number) => metrics.deliveries.observe({ outcome }, durationMs / 1000)
  const delivery = startDelivery({
    db,
    log,
    outgoing,
    vault,
    headerPrefix: config.WEBHOOK_HEADER_PREFIX,
    now,
    random: Math.random,
    onAttempt,
  })
  stops.push(() => delivery.stop())
  const sweep = startSweep({ db, log, now })
  stops.push(() => sweep.stop())
  const followers = startFollowers({ db, log, metrics })
  stops.push(() => followers.stop())
  const onNews = () => {
    delivery.wake()
    followers.wake()
  }
  const live = createLiveEvents({ db, onNews, allowPrivate: config.ALLOW_INSECURE_URLS, now })
  stops.push(() => live.stop())
  return { onNews, live, followers }
}

type AfterCallParts = TransitionDeps & {
  readonly log: Logger
  readonly store: ObjectStore
  readonly providerKeys: ProviderKeys
  readonly now: () => Date
}

/** What comes after the call: files of every recording, and then what was said in it. */
function startAfterCall(config: Config, parts: AfterCallParts, stops: Stops) {
  const [work, words] = [join(config.DATA_DIR, 'work'), join(config.DATA_DIR, 'words')]
  const processing = startProcessing({ ...parts, folder: work, threads: 1, atOnce: config.MEDIA_JOBS })
  stops.push(() => processing.stop())
  const speech = openSpeech(config.speech.native)
  stops.push(() => speech.stop())
  const recogniserOf = async (name: ProviderName, workspace: WorkspaceId) =>
    speech.recogniser(name, await parts.providerKeys.settingsFor(workspace, vendorOf(name)))
  const transcribing = startTranscribing({ ...parts, folder: words, recogniserOf })
  stops.push(() => transcribing.stop())
  return { wake: () => processing.wake(), folders: [work, words] }
}

type CalendarParts = Pick<CalendarOptions, 'db' | 'log' | 'vault' | 'fleet' | 'now' | 'publicUrl'> & {
  readonly providerKeys: ProviderKeys
  readonly rooms: Door
}

/** Connected calendars: what is in them has its bots. */
function openCalendars(config: Config, parts: CalendarParts, stops: Stops): ReturnType<typeof startCalendars> {
  const calendars = startCalendars({
    ...parts,
    random: Math.random,
    prepareBot: botPreparer({ config, ...parts }),
    pollSeconds: config.CALENDAR_POLL_SECONDS,
    googleApiUrl: config.GOOGLE_API_URL,
    googleTokenUrl: config.GOOGLE_OAUTH_URL,
    graphUrl: config.MICROSOFT_GRAPH_URL,
    microsoftLoginUrl: config.MICROSOFT_LOGIN_URL,
    givenUrl: config.PUBLIC_URL,
    allowPrivate: config.ALLOW_INSECURE_URLS,
  })
  stops.push(() => calendars.syncer.stop())
  return calendars
}
