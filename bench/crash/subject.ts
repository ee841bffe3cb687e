// What faults are done to: one service with its embedded database, or two services on a database that each reaches over a line of its own.
import { mkdir, symlink } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { openDatabaseLine } from '../../sims/database-line.ts'
import type { BotId } from '../../src/domain/bot.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/service/db/embedded-postgres.ts'
import { findPostmaster, type Postmaster } from '../../src/service/db/postgres-postmaster.ts'
import { recordingPrefix } from '../../src/storage/store.ts'
import { ServiceNode } from './node.ts'
import { Remains } from './remains.ts'
import { oneOf, required } from './waiting.ts'

/** `embedded`: one service runs its database. `outside`: two services share one, over lines that can freeze and be cut. */
export type Place = 'embedded' | 'outside'

type Settings = Readonly<Record<string, string>>

const QUERY_WITHIN_MS = 60_000
const NODES: Readonly<Record<Place, number>> = { embedded: 1, outside: 2 }

export class Subject {
  readonly remains = new Remains(() => this.nodes.map((node) => node.pid()))
  readonly nodes: ServiceNode[] = []
  readonly #folder: string
  #outside: EmbeddedPostgres | null = null
  #closing = false

  constructor(folder: string) {
    this.#folder = folder
  }

  async start(place: Place, settings: Settings): Promise<void> {
    if (place === 'outside') this.#outside = await startEmbeddedPostgres({ directory: join(this.#folder, 'postgres') })
    // One after the other: the first one makes the tables, and the workspace with its key.
    while (this.nodes.length < NODES[place] && !this.#closing) await this.#add(settings)
  }

  /** How often a service ended by itself. */
  deaths(): number {
    return this.nodes.reduce((sum, node) => sum + node.deaths(), 0)
  }

  async ready(): Promise<void> {
    for (const node of this.nodes) await node.ready()
  }

  anyNode(random: () => number): ServiceNode {
    return oneOf(this.nodes, random, 'service')
  }

  /** The service in whose host the bot sits. */
  async holderOf(botId: string): Promise<ServiceNode> {
    const rows = await this.query<{ address: string }>('select address from nodes join bots on node_id = nodes.id where bots.id = $1', [
      botId,
    ])
    const holder = this.nodes.find(({ url }) => url === rows[0]?.address)
    if (!holder) throw new Error(`bench: the bot ${botId} is on no node`)
    return holder
  }

  /** Where the bot may have recorded, on any node. */
  recordingsOf(botId: string): readonly string[] {
    return this.nodes.map(({ folder }) => join(folder, 'recordings', botId))
  }

  storedRecording(botId: string): string {
    return join(this.#folder, 'objects', recordingPrefix(botId as BotId))
  }

  async postmaster(): Promise<Postmaster> {
    const found = await findPostmaster(join(this.#clusterFolder(), 'cluster'))
    if (!found) throw new Error('bench: the database does not run')
    return found
  }

  /** Straight to the database, past all lines. Asked again until it answers. */
  async query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    let rows: readonly Row[] = []
    const answered = async () => {
      rows = await this.#ask<Row>(text, values)
      return true
    }
    await required('the database answers', answered, QUERY_WITHIN_MS)
    return rows
  }

  /** Also in the midst of its start. Says how many processes were left behind; none is afterwards. */
  async close(): Promise<number> {
    this.#closing = true
    await Promise.all(this.nodes.map((node) => node.close()))
    for (const { line } of this.nodes) await line?.close()
    await this.#outside?.stop()
    return this.remains.end()
  }

  /** An embedded database lies in the folder of its service. */
  #clusterFolder(): string {
    return this.#outside ? join(this.#folder, 'postgres') : join(this.#folder, 'node-1', 'postgres')
  }

  async #add(settings: Settings): Promise<void> {
    const folder = join(this.#folder, `node-${this.nodes.length + 1}`)
    await mkdir(folder)
    // All nodes have one store, as they would with a bucket.
    await mkdir(join(this.#folder, 'objects'), { recursive: true })
    await symlink(join(this.#folder, 'objects'), join(folder, 'objects'))
    const outside = this.#outside?.connection
    const line = outside ? await openDatabaseLine({ path: `${outside.host}/.s.PGSQL.${outside.port}` }) : null
    const database = outside && line ? { DATABASE_URL: `postgres://${outside.user}@${line.host}:${line.port}/${outside.database}` } : {}
    const node = new ServiceNode({ folder, port: await freePort(), settings: { ...settings, ...database }, line })
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

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (typeof address !== 'object' || !address) throw new Error('bench: there is no free port')
  return address.port
}
