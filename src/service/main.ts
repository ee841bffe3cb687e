// Starts the parts of a service process by its roles. Parts stop in the reverse order.
import { mkdir } from 'node:fs/promises'
import packageFile from '../../package.json' with { type: 'json' }
import type { BotId } from '../domain/bot.ts'
import type { NodeRole } from '../domain/node-roles.ts'
import { createLog, type Logger } from '../kit/log.ts'
import { findProgram } from '../kit/programs.ts'
import { type Stops, stopAll, stopLater } from '../kit/stop-all.ts'
import { runtimeProblem } from '../speech/own-model-runtime.ts'
import { setUpToken } from './accounts/people.ts'
import { bootstrap, type NewWorkspace } from './accounts/workspaces.ts'
import type { Api, NodeDeps } from './api/deps.ts'
import { createNodeServer } from './api/server.ts'
import type { Config } from './config.ts'
import type { Db } from './db/database.ts'
import { isUnreachable } from './db/unreachable.ts'
import { executeNodeRequest, type NodeRequest } from './fleet/node/bot-requests.ts'
import { startNode } from './fleet/node/nodes.ts'
import { type Machine, THIS_MACHINE } from './fleet/workers/machine-load.ts'
import { openDatabase } from './open-database.ts'
import { type NodeOptions, openNode } from './open-node.ts'
import { ConfigError } from './setting-readers.ts'
import { startApi } from './start-api.ts'
import { startCalendar } from './start-calendar.ts'
import { startDelivery } from './start-delivery.ts'
import { type Fleet, NO_FLEET, startFleet } from './start-fleet.ts'
import { startMedia } from './start-media.ts'

/** `serve` exits after 9.5 s. */
const STOP_WITHIN_MS = 8_000

export type Service = {
  readonly url: string
  /** Set if the database was empty. Contains the only copy of the API key. */
  readonly firstWorkspace: NewWorkspace | null
  /** The link for the first dashboard account; null if an account exists. */
  readonly setUpUrl: string | null
  /** Takes no new bots. Resolves when the running ones have ended or are handed over, or `stop` is called. */
  drain(): Promise<void>
  stop(): Promise<void>
}

export type ServiceOptions = {
  /** Receives a message before each slow step. */
  readonly onProgress?: (sentence: string) => void
  /** Whose load limits measured seats. Default: this one. */
  readonly machine?: Machine
}

export async function startService(config: Config, { onProgress, machine = THIS_MACHINE }: ServiceOptions = {}): Promise<Service> {
  const log = createLog({ level: config.LOG_LEVEL, pretty: config.LOG_FORMAT === 'pretty' })
  const stops: Stops = []
  // An unreachable database is not a problem here: leases expire by themselves.
  const onProblem = (problem: unknown): void => {
    if (!isUnreachable(problem)) log.error({ err: problem }, 'could not stop a part of the service cleanly')
  }
  const [draining, stopping] = [new AbortController(), new AbortController()]
  const stop = () => {
    stopping.abort()
    return stopAll(stops, STOP_WITHIN_MS, onProblem)
  }
  try {
    checkPrograms(config)
    await mkdir(config.DATA_DIR, { recursive: true })
    const database = await openDatabase(config, { log, stops, onProgress: onProgress ?? (() => undefined) })
    const firstWorkspace = await bootstrap(database.db, { apiKey: config.BOOTSTRAP_API_KEY, at: new Date() })
    const token = hasDashboard(config) ? await newSetUpToken(database.db, log) : null
    const { url, fleet } = await startParts(config, { database, log, stops, draining: draining.signal, machine })
    const drain = () => {
      draining.abort()
      return fleet.drain(stopping.signal)
    }
    return { url, firstWorkspace, setUpUrl: token && `${config.PUBLIC_URL ?? url}/set-up#${token}`, drain, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const hasDashboard = ({ DASHBOARD, ROLES }: Config): boolean => DASHBOARD === 'on' && ROLES.includes('api')

/** A failed write, for example on a full disk, must not prevent the start. The next start creates a link. */
function newSetUpToken(db: Db, log: Logger): Promise<string | null> {
  return setUpToken(db, new Date()).catch((error: unknown) => {
    log.warn({ err: error }, 'could not create a set-up link for the dashboard')
    return null
  })
}

/** Checks programs that settings depend on. */
function checkPrograms({ NATIVE_MODEL, BROWSER_MODE, BOT_WORKERS, ROLES }: Config): void {
  const problem = NATIVE_MODEL && runtimeProblem()
  if (problem) throw new ConfigError(`NATIVE_MODEL: ${problem}`)
  if (BROWSER_MODE === 'headed' && BOT_WORKERS > 0 && ROLES.includes('fleet') && !findProgram('Xvfb'))
    throw new ConfigError(
      'BROWSER_MODE is headed, which needs Xvfb. Install the packages xvfb and xdotool, or set BROWSER_MODE to auto or headless.',
    )
}

type Starting = Omit<NodeOptions, 'listeningUrl'>

async function startParts(config: Config, starting: Starting): Promise<{ readonly url: string; readonly fleet: Fleet }> {
  const { database, log, stops, draining } = starting
  let url = ''
  const listeningUrl = () => url
  const parts = await openNode(config, { ...starting, listeningUrl })
  const { node } = parts
  const { version } = packageFile
  const has = (role: NodeRole): boolean => config.ROLES.includes(role)

  if (has('delivery')) startDelivery(parts, stops)
  const fleet = has('fleet') ? await startFleet(parts, stops) : NO_FLEET
  const { seated, succeed, onRenewed } = fleet
  parts.operations.watchSeats(fleet.seats)
  if (has('media')) await startMedia(parts, () => takenSeats(fleet), stops)
  const calendars = has('calendar') || has('api') ? startCalendar(parts, stops) : null
  const execute = (bot: BotId, request: NodeRequest) => executeNodeRequest({ workers: seated, succeed }, bot, request)
  const inside = { key: node.key, executeNodeRequest: execute, answer: fleet.answer }
  const server =
    has('api') && calendars
      ? await startApi(parts, { seated, calendars, inside, listeningUrl, version }, stops)
      : startNodeServer({ ...parts, node: inside }, stops)
  await server.listen({ port: config.PORT, host: config.HOST })
  const address = server.server.address()
  const port = typeof address === 'object' && address ? address.port : config.PORT
  url = `http://${config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST}:${port}`
  const about = { address: config.NODE_URL ?? url, roles: config.ROLES, version, outageSeconds: config.DATABASE_OUTAGE_SECONDS }
  const seats = () => ({ ...fleet.seats(), draining: draining.aborted })
  stopLater(stops, startNode({ db: database.urgent, log, node, about, seats, onRenewed }))
  // Dispatch starts only now: the orders of signed-in bots contain the public URL.
  fleet.dispatch(stops)
  return { url, fleet }
}

const takenSeats = ({ seats }: Fleet): number => seats().seats - seats().freeSeats

/** A process without the API still answers health checks and requests of other nodes. */
function startNodeServer(deps: NodeDeps, stops: Stops): Api {
  const server = createNodeServer(deps)
  stops.push(() => server.close())
  return server
}
