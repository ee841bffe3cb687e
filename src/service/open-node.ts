// Opens the parts that every service process needs, with any roles.
import { join } from 'node:path'
import packageFile from '../../package.json' with { type: 'json' }
import { createHttpClient } from '../kit/http-client.ts'
import type { Logger } from '../kit/log.ts'
import { type Stops, stopLater } from '../kit/stop-all.ts'
import { createRoomAccess } from '../room/room-access.ts'
import { tariffOf } from './accounts/credits.ts'
import { openVault } from './accounts/open-vault.ts'
import { createProviderKeys } from './accounts/provider-keys.ts'
import type { Config } from './config.ts'
import { watchDiskSpace } from './disk-space.ts'
import type { FleetDeps } from './fleet/bot/transition.ts'
import { newNode } from './fleet/node/nodes.ts'
import type { Machine } from './fleet/workers/machine-load.ts'
import type { Database } from './open-database.ts'
import { openObjectStore } from './open-objects.ts'
import { startOperations } from './operations/start-operations.ts'

export type NodeParts = Awaited<ReturnType<typeof openNode>>

/** Wakes parts of this process at once. Parts of other processes poll. */
type Wakes = Readonly<Record<'news' | 'due' | 'recorded', Set<() => void>>>

/** Folders of this process with one subfolder per bot. */
type Folders = Readonly<Record<'recordings' | 'formats' | 'work' | 'words', string>>

export type NodeOptions = {
  readonly database: Database
  readonly log: Logger
  readonly stops: Stops
  readonly listeningUrl: () => string
  /** Aborted: this process takes no new bots, and stops when its last bot has left or is handed over. */
  readonly draining: AbortSignal
  readonly machine: Machine
}

export async function openNode(config: Config, { database, log, stops, listeningUrl, draining, machine }: NodeOptions) {
  const now = () => new Date()
  const { secretKey, vault } = await openVault({ db: database.db, given: config.SECRET_KEY, folder: config.DATA_DIR, now })
  const disk = stopLater(stops, await watchDiskSpace({ folder: config.DATA_DIR, leastMegabytes: config.MIN_FREE_DISK_MB, log }))
  // It reaches other nodes, also at private addresses.
  const amongNodes = createHttpClient({ allowPrivate: true })
  stops.push(() => amongNodes.close())
  // Without PUBLIC_URL it is empty until this process listens.
  const publicUrl = () => config.PUBLIC_URL ?? listeningUrl()
  const wakes: Wakes = { news: new Set(), due: new Set(), recorded: new Set() }
  const node = newNode(now())
  const { version } = packageFile
  const traced = { nodeId: node.id, version, otlpEndpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT }
  const operations = await startOperations({ db: database.db, log, ...traced }, stops)
  const store = await openObjectStore(config, (operation) => operations.metrics.storeRequests.inc({ operation }))
  const fleet: FleetDeps = {
    db: database.db,
    tariff: tariffOf(config),
    observe: operations.observe,
    onNews: () => wakeAll(wakes.news),
    onDue: () => wakeAll(wakes.due),
  }
  const folderOf = (name: keyof Folders) => join(config.DATA_DIR, name)
  const folders = { recordings: folderOf('recordings'), formats: folderOf('formats'), work: folderOf('work'), words: folderOf('words') }
  return {
    ...database,
    config,
    log,
    now,
    secretKey,
    vault,
    disk,
    store,
    folders,
    publicUrl,
    wakes,
    draining,
    machine,
    fleet,
    amongNodes,
    node,
    operations,
    metrics: operations.metrics,
    providerKeys: createProviderKeys({ db: database.db, vault }, config.speech),
    deletion: { ...fleet, store, recordings: Object.values(folders) },
    rooms: createRoomAccess({ mode: config.ROOM, host: config.HOST, secretKey, publicUrl, now: Date.now }),
  }
}

export function wakeAll(wakes: ReadonlySet<() => void>): void {
  for (const wake of wakes) wake()
}
