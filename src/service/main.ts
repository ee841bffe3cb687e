// The service, wired by hand: configuration in, everything started once, and stopped in the opposite order.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import packageFile from '../../package.json' with { type: 'json' }
import type { BotOrders } from '../domain/protocol.ts'
import { createLog, type Logger } from '../kit/log.ts'
import { createOutgoing } from '../kit/outgoing.ts'
import type { Tariff } from './accounts/credits.ts'
import { createKeys } from './accounts/keys.ts'
import { secretKeyIn } from './accounts/secret-key.ts'
import { createVault } from './accounts/secrets.ts'
import { bootstrap, type NewWorkspace } from './accounts/workspaces.ts'
import { createServer } from './api/server.ts'
import type { Config } from './config.ts'
import { type Connection, type Db, openDatabase } from './db/database.ts'
import { startEmbeddedPostgres } from './db/embedded-postgres.ts'
import { migrate } from './db/migrate.ts'
import { startDelivery } from './delivery/deliver.ts'
import { startAttendance } from './fleet/attendance.ts'
import { startDispatch } from './fleet/dispatch.ts'
import { launch } from './fleet/launch.ts'
import { createMetrics } from './metrics.ts'
import { attachSignalling } from './room/signalling.ts'

export type Service = {
  readonly url: string
  /** What an empty database was given; the only time its key can be read. */
  readonly firstWorkspace: NewWorkspace | null
  stop(): Promise<void>
}

export type ServiceOptions = {
  /** Told in a sentence what takes time. */
  readonly onProgress?: (sentence: string) => void
  /** The service cannot go on: its database is gone. */
  readonly onLost?: (error: Error) => void
}

export async function startService(config: Config, { onProgress, onLost }: ServiceOptions = {}): Promise<Service> {
  const log = createLog({ level: config.LOG_LEVEL, pretty: config.LOG_FORMAT === 'pretty' })
  const stops: (() => Promise<unknown>)[] = []
  const stop = async (): Promise<void> => {
    for (let last = stops.pop(); last; last = stops.pop()) await last()
  }
  try {
    await mkdir(config.DATA_DIR, { recursive: true })
    const db = await openStore(config, { log, stops, onProgress: onProgress ?? (() => undefined), onLost: onLost ?? (() => undefined) })
    const firstWorkspace = await bootstrap(db, { apiKey: config.BOOTSTRAP_API_KEY, at: new Date() })
    const url = await startParts(config, db, log, stops)
    return { url, firstWorkspace, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

type Opening = Required<ServiceOptions> & { readonly log: Logger; readonly stops: (() => Promise<unknown>)[] }

/** The database, with its tables as this version wants them. */
export async function openStore(config: Config, { log, stops, onProgress, onLost }: Opening): Promise<Db> {
  let connection: Connection
  if (config.DATABASE_URL) connection = { url: config.DATABASE_URL }
  else {
    const embedded = await startEmbeddedPostgres({ directory: join(config.DATA_DIR, 'postgres'), log: onProgress, onLost })
    stops.push(() => embedded.stop())
    connection = embedded.connection
  }
  const db = openDatabase({
    connection,
    connections: config.DATABASE_CONNECTIONS,
    onError: (error) => log.warn({ err: error }, 'database connection lost'),
  })
  stops.push(() => db.destroy())
  await migrate(db)
  return db
}

async function startParts(config: Config, db: Db, log: Logger, stops: (() => Promise<unknown>)[]): Promise<string> {
  const now = () => new Date()
  const metrics = createMetrics()
  const tariff: Tariff = { enforced: config.CREDITS === 'on', pricePerHour: config.PRICE_PER_HOUR, currency: config.CURRENCY }
  const vault = createVault(config.SECRET_KEY ?? (await secretKeyIn(config.DATA_DIR)))

  const outgoing = createOutgoing({ allowPrivate: config.ALLOW_INSECURE_URLS })
  stops.push(() => outgoing.close())
  const onAttempt = (outcome: string, durationMs: number) => metrics.deliveries.observe({ outcome }, durationMs / 1000)
  const delivery = startDelivery({ db, log, outgoing, now, random: Math.random, onAttempt })
  stops.push(() => delivery.stop())

  let wakeDispatch = (): void => undefined
  const fleet = { db, tariff, onNews: () => delivery.wake(), onDue: () => wakeDispatch() }
  const seats = { seatsPerHost: config.BOTS_PER_HOST, mostHosts: config.BOT_HOSTS, chromium: config.CHROMIUM_PATH }
  const attendance = startAttendance({ deps: fleet, log, ...seats })
  const { hosts } = attendance
  stops.push(() => attendance.stop())
  const launching = { ...fleet, now, place: (orders: BotOrders) => hosts.place(orders) }
  const dispatch = startDispatch({ db, log, now, freeSeats: () => hosts.freeSeats(), launch: (bot) => launch(launching, bot) })
  wakeDispatch = () => dispatch.wake()
  stops.push(() => dispatch.stop())

  let url = ''
  const publicUrl = () => config.PUBLIC_URL ?? url
  const deps = { config, publicUrl, db, log, keys: createKeys({ db, now }), vault, metrics, fleet, hosts, now }
  const server = await createServer(deps, packageFile.version)
  stops.push(() => server.close())
  const signalling = attachSignalling(server.server, { now: Date.now, publicUrl })
  stops.push(() => signalling.close())
  await server.listen({ port: config.PORT, host: config.HOST })
  const address = server.server.address()
  const port = typeof address === 'object' && address ? address.port : config.PORT
  url = `http://${config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST}:${port}`
  return url
}
