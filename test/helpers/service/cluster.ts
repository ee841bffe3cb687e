// Several service processes on one database and one bucket. Each has a disk of its own.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { openS3, type S3Options } from '../../../src/storage/s3.ts'
import type { ObjectStore } from '../../../src/storage/store.ts'
import type { Receiver } from '../callers/receiver.ts'
import { until } from '../until.ts'
import { bucketSettings, readBucketRecording } from './bucket.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { freePort } from './free-port.ts'
import { SWIFT_WITHIN_MS, type Swift, startSwift } from './s3-server.ts'
import { API_KEY, type Client, clientOf } from './service.ts'
import { type ServiceProcess, startServiceProcess } from './service-process.ts'

export const CLUSTER_WITHIN_MS = SWIFT_WITHIN_MS

export type ClusterNode = ServiceProcess & { readonly directory: string }
export type Absence = { readonly from: string; readonly to: string; readonly reason: string }

export class Cluster {
  readonly database: TestDatabase
  readonly store: ObjectStore
  /** The address of the API, whose process the test starts. */
  readonly url: string
  readonly api: Client
  readonly #swift: Swift
  readonly #bucket: S3Options
  readonly #folder: string

  /** `isEmpty`: the first process makes the tables. */
  static async open({ isEmpty = false } = {}): Promise<Cluster> {
    const swift = await startSwift()
    const folder = await mkdtemp(join(tmpdir(), 'emissary-nodes-'))
    return new Cluster(await createTestDatabase({ isEmpty }), { swift, bucket: await swift.bucket(), folder, port: await freePort() })
  }

  private constructor(database: TestDatabase, parts: { swift: Swift; bucket: S3Options; folder: string; port: number }) {
    this.database = database
    this.#swift = parts.swift
    this.#bucket = parts.bucket
    this.#folder = parts.folder
    this.store = openS3(parts.bucket)
    this.url = `http://127.0.0.1:${parts.port}`
    this.api = clientOf(this.url, API_KEY)
  }

  startApi(roles: string, release?: string): Promise<ClusterNode> {
    return this.startNode('api', { ROLES: roles, PORT: new URL(this.url).port }, release)
  }

  /** Under a name that was used before, it starts with the disk of the earlier process. `release`: the folder of another release. */
  async startNode(name: string, settings: Readonly<Record<string, string>>, release?: string): Promise<ClusterNode> {
    const directory = join(this.#folder, name)
    const whole = {
      DATA_DIR: directory,
      DATABASE_URL: this.database.url,
      BOOTSTRAP_API_KEY: API_KEY,
      RATE_LIMIT_PER_MINUTE: '1000000',
      PUBLIC_URL: this.url,
      ALLOW_INSECURE_URLS: 'true',
      ...bucketSettings(this.#bucket),
      ...settings,
    }
    const process = await startServiceProcess(whole, { folder: release })
    return { ...process, directory }
  }

  /** The address of the node that holds the bot. */
  async holderOf(id: string): Promise<string | undefined> {
    const row = await this.database.db
      .selectFrom('bots')
      .innerJoin('nodes', 'nodes.id', 'bots.node_id')
      .select('address')
      .where('bots.id', '=', id)
      .executeTakeFirst()
    return row?.address
  }

  async send(room: string, body: object): Promise<string> {
    const created = await this.api('POST', '/api/v1/bots/create_bot', { meeting_link: `${this.url}/room/${room}`, ...body })
    if (created.status !== 201) throw new Error(JSON.stringify(created.body))
    return created.body.bot_id
  }

  detail = async (id: string) => (await this.api('GET', `/api/v1/bots/${id}/detail`)).body.bot_details
  absences = async (id: string): Promise<readonly Absence[]> => (await this.detail(id)).Absences
  uploadedSegments = async (id: string) => (await readBucketRecording(this.store, id)).tracks.flatMap(({ segments }) => segments)
  /** The length of what is in the bucket. */
  uploadedMs = async (id: string) => Math.max(0, ...(await this.uploadedSegments(id)).map(({ endMs }) => endMs))

  async recordsOn(node: ClusterNode, id: string): Promise<void> {
    await until('the bot sits on the node', async () => (await this.holderOf(id)) === node.url, 60_000)
    const before = await this.uploadedMs(id)
    await until('the node uploads more of the recording', async () => (await this.uploadedMs(id)) > before + 2_000, 90_000)
    expect((await this.detail(id)).Status).toBe('InMeeting')
  }

  /** Nodes that a holder does not know yet may not end its leases before it is proved to be gone. */
  async knowEachOther(): Promise<void> {
    const late = sql`select from nodes where id in (select node_id from bots)
      and (knows is null or knows < (select max(joined_at) from nodes where 'fleet' = any(roles)))`
    await until('nodes with bots know the others', async () => (await late.execute(this.database.db)).rows.length === 0, 60_000)
  }

  /** Every event of the bot arrives at its `callback_url`, in order. One in flight may arrive twice. */
  async expectEvents({ received }: Pick<Receiver, 'received'>, id: string): Promise<void> {
    const outbox = await this.database.db.selectFrom('deliveries').select('event_id').where('bot_id', '=', id).orderBy('seq').execute()
    const written = outbox.map(({ event_id }) => event_id)
    const arrived = () => [...new Set(received.filter(({ body }) => body.bot_id === id).map(({ body }) => body.event_id))]
    await until('all events have arrived', () => arrived().length >= written.length, 60_000)
    expect(arrived()).toEqual(written)
  }

  async close(): Promise<void> {
    await this.database.drop()
    await this.#swift.stop()
    await rm(this.#folder, { recursive: true, force: true })
  }
}
