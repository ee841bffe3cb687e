// The service under test: one node with an embedded database, or two nodes that reach a shared database through a proxy each and share a store.
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { openTcpProxy } from '../../sims/tcp-proxy.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/service/postgres/embedded-postgres.ts'
import { findPostmaster, type Postmaster } from '../../src/service/postgres/postmaster.ts'
import { openLocalDisk } from '../../src/storage/local-disk.ts'
import { openS3, type S3Options } from '../../src/storage/s3.ts'
import { bucketSettings } from '../../test/helpers/service/bucket.ts'
import { freePort } from '../../test/helpers/service/free-port.ts'
import { type Swift, startSwift } from '../../test/helpers/service/s3-server.ts'
import { LeftoverProcesses } from './leftover-processes.ts'
import { ServiceNode } from './node.ts'
import { StoredRecordings } from './stored-recordings.ts'
import { oneOf, required } from './wait.ts'

/**
 * `embedded`: one node runs its database. `outside`: two nodes share one, through proxies that can freeze and reset. `bucket`: they also share an
 * S3 store instead of a folder, so a node may lose its disk.
 */
export type Deployment = 'embedded' | 'outside' | 'bucket'

type Settings = Readonly<Record<string, string>>

const QUERY_WITHIN_MS = 60_000
const NODES: Readonly<Record<Deployment, number>> = { embedded: 1, outside: 2, bucket: 2 }

export class Subject {
  readonly leftovers = new LeftoverProcesses(() => this.nodes.map((node) => node.pid()))
  readonly nodes: ServiceNode[] = []
  readonly #folder: string
  #outside: EmbeddedPostgres | null = null
  #swift: Swift | null = null
  #bucket: S3Options | null = null
  #closing = false

  constructor(folder: string) {
    this.#folder = folder
  }

  async start(deployment: Deployment, settings: Settings): Promise<void> {
    if (deployment === 'bucket') {
      this.#swift = await startSwift()
      this.#bucket = await this.#swift.bucket()
    }
    if (deployment !== 'embedded') this.#outside = await startEmbeddedPostgres({ directory: join(this.#folder, 'postgres') })
    // In sequence, because the first node migrates the database and creates the workspace with its key.
    while (this.nodes.length < NODES[deployment] && !this.#closing) await this.#add(settings)
  }

  /** How often a node exited without being killed. */
  deaths(): number {
    return this.nodes.reduce((sum, node) => sum + node.deaths(), 0)
  }

  /** A lost machine is replaced by an empty one. */
  async ready(): Promise<void> {
    for (const node of this.nodes) await node.replace()
    for (const node of this.nodes) await node.ready()
  }

  anyNode(random: () => number): ServiceNode {
    return oneOf(
      this.nodes.filter((node) => !node.isLost()),
      random,
      'service',
    )
  }

  /** The node that holds the bot. */
  async holderOf(botId: string): Promise<ServiceNode> {
    const rows = await this.query<{ address: string }>('select address from nodes join bots on node_id = nodes.id where bots.id = $1', [
      botId,
    ])
    const holder = this.nodes.find(({ url }) => url === rows[0]?.address)
    if (!holder) throw new Error(`bench: the bot ${botId} is on no node`)
    return holder
  }

  /** The folders in which the bot may have recorded, on any node. */
  recordingsOf(botId: string): readonly string[] {
    return this.nodes.map(({ folder }) => join(folder, 'recordings', botId))
  }

  async openRecordings(): Promise<StoredRecordings> {
    return new StoredRecordings(this.#bucket ? openS3(this.#bucket) : await openLocalDisk(join(this.#folder, 'objects')))
  }

  async postmaster(): Promise<Postmaster> {
    const found = await findPostmaster(join(this.#clusterFolder(), 'cluster'))
    if (!found) throw new Error('bench: the database does not run')
    return found
  }

  /** Queries the database directly, past the proxies, and retries until it answers. */
  async query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    let rows: readonly Row[] = []
    const answered = async () => {
      rows = await this.#ask<Row>(text, values)
      return true
    }
    await required('the database answers', answered, QUERY_WITHIN_MS)
    return rows
  }

  /** May be called during the start. Returns how many processes were left over, and ends those. */
  async close(): Promise<number> {
    this.#closing = true
    await Promise.all(this.nodes.map((node) => node.close()))
    for (const { proxy } of this.nodes) await proxy?.close()
    await this.#outside?.stop()
    await this.#swift?.stop()
    return this.leftovers.end()
  }

  /** An embedded database is in the folder of its node. */
  #clusterFolder(): string {
    return this.#outside ? join(this.#folder, 'postgres') : join(this.#folder, 'node-1', 'postgres')
  }

  async #add(settings: Settings): Promise<void> {
    const folder = join(this.#folder, `node-${this.nodes.length + 1}`)
    await mkdir(folder)
    if (!this.#bucket) {
      await mkdir(join(this.#folder, 'objects'), { recursive: true })
      await symlink(join(this.#folder, 'objects'), join(folder, 'objects'))
    }
    const outside = this.#outside?.connection
    const proxy = outside ? await openTcpProxy({ path: `${outside.host}/.s.PGSQL.${outside.port}` }) : null
    const database = outside && proxy ? { DATABASE_URL: `postgres://${outside.user}@${proxy.host}:${proxy.port}/${outside.database}` } : {}
    const node = new ServiceNode({
      folder,
      port: await freePort(),
      settings: { ...settings, ...database, ...(this.#bucket && bucketSettings(this.#bucket)) },
      proxy,
    })
    this.nodes.push(node)
    await node.ready()
  }

  async #ask<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]): Promise<Row[]> {
    const { socketDirectory: host, port } = await this.postmaster()
    const client = new pg.Client({ host, port, user: 'emissary', database: 'emissary', connectionTimeoutMillis: 3_000 })
    client.on('error', () => undefined)
    try {
      await client.connect()
      return (await client.query<Row>(text, [...values])).rows
    } finally {
      await client.end().catch(() => undefined)
    }
  }
}
