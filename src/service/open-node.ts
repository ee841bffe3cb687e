// Opens the parts that every service process needs, with any roles.
import { join } from 'node:path'
import packageFile from '../../package.json' with { type: 'json' }
import { createHttpClient, type HttpClient } from '../kit/http-client.ts'
import type { Logger } from '../kit/log.ts'
import type { Stops } from '../kit/stop-all.ts'
import { createRoomAccess, type RoomAccess } from '../room/room-access.ts'
import type { ObjectStore } from '../storage/store.ts'
import { tariffOf } from './accounts/credits.ts'
import { openVault } from './accounts/open-vault.ts'
import { createProviderKeys, type ProviderKeys } from './accounts/provider-keys.ts'
import type { Vault } from './accounts/secrets.ts'
import type { Config } from './config.ts'
import { type DiskSpace, watchDiskSpace } from './disk-space.ts'
import type { DeletionDeps } from './fleet/delete.ts'
import type { Machine } from './fleet/machine-load.ts'
import { type NodeIdentity, newNode } from './fleet/nodes.ts'
import type { FleetDeps } from './fleet/transition.ts'
import type { Database } from './open-database.ts'
import { openObjectStore } from './open-objects.ts'
import type { Metrics } from './operations/metrics.ts'
import { type Operations, startOperations } from './operations/start-operations.ts'

/** Wakes parts of this process at once. Parts of other processes poll. */
type Wakes = Readonly<Record<'news' | 'due' | 'recorded', Set<() => void>>>

/** Folders of this process with one subfolder per bot. */
type Folders = Readonly<Record<'recordings' | 'formats' | 'work' | 'words', string>>

export type NodeParts = Database & {
  readonly config: Config
  readonly log: Logger
  readonly now: () => Date
  readonly metrics: Metrics
  readonly operations: Operations
  readonly node: NodeIdentity
  readonly secretKey: string
  readonly vault: Vault
  readonly providerKeys: ProviderKeys
  readonly disk: DiskSpace
  readonly store: ObjectStore
  readonly folders: Folders
  readonly deletion: DeletionDeps
  readonly rooms: RoomAccess
  /** The public URL of the API. Without PUBLIC_URL it is empty until this process listens. */
  readonly publicUrl: () => string
  readonly wakes: Wakes
  readonly machine: Machine
  /** Aborted: this process takes no new bots, and stops when its last bot has left or is handed over. */
  readonly draining: AbortSignal
  readonly fleet: FleetDeps
  /** Reaches other nodes, also at private addresses. */
  readonly amongNodes: HttpClient
}

type Opening = {
  readonly database: Database
  readonly log: Logger
  readonly stops: Stops
  readonly listeningUrl: () => string
  readonly draining: AbortSignal
  readonly machine: Machine
}

export async function openNode(config: Config, { database, log, stops, listeningUrl, draining, machine }: Opening): Promise<NodeParts> {
  const now = () => new Date()
  const { secretKey, vault } = await openVault({ db: database.db, given: config.SECRET_KEY, folder: config.DATA_DIR, now })
  const disk = await watchDiskSpace({ folder: config.DATA_DIR, leastMegabytes: config.MIN_FREE_DISK_MB, log })
  stops.push(() => disk.stop())
  const amongNodes = createHttpClient({ allowPrivate: true })
  stops.push(() => amongNodes.close())
  const store = await openObjectStore(config)
  const publicUrl = () => config.PUBLIC_URL ?? listeningUrl()
  const wakes: Wakes = { news: new Set(), due: new Set(), recorded: new Set() }
  const node = newNode(now())
  const { version } = packageFile
  const traced = { nodeId: node.id, version, otlpEndpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT }
  const operations = await startOperations({ db: database.db, log, ...traced }, stops)
  const fleet: FleetDeps = {
    ...{ db: database.db, tariff: tariffOf(config), observe: operations.observe },
    ...{ onNews: () => wakeAll(wakes.news), onDue: () => wakeAll(wakes.due) },
  }
  const folderOf = (name: keyof Folders) => join(config.DATA_DIR, name)
  const folders = { recordings: folderOf('recordings'), formats: folderOf('formats'), work: folderOf('work'), words: folderOf('words') }
  return {
    ...{ ...database, config, log, now, secretKey, vault, disk, store, folders, publicUrl, wakes, draining, machine, fleet, amongNodes },
    ...{ node, operations, metrics: operations.metrics },
    providerKeys: createProviderKeys({ db: database.db, vault }, config.speech),
    deletion: { ...fleet, store, recordings: Object.values(folders) },
    rooms: createRoomAccess({ mode: config.ROOM, host: config.HOST, secretKey, publicUrl, now: Date.now }),
  }
}

export function wakeAll(wakes: ReadonlySet<() => void>): void {
  for (const wake of wakes) wake()
}
