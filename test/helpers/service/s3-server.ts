// A real S3 server for tests: OpenStack Swift with its S3 API, four processes on loopback, one replica in a temporary folder.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { newId } from '../../../src/kit/id.ts'
import { runProcess } from '../../../src/kit/process.ts'
import type { S3Options } from '../../../src/storage/s3.ts'
import { until } from '../until.ts'
import { freePort } from './free-port.ts'

const KINDS = ['account', 'container', 'object'] as const
const CREDENTIALS = { accessKeyId: 'test:tester', secretAccessKey: 'testing' }
const REGION = 'us-east-1'
/** The start of four Python servers and nine runs of the ring builder on a busy machine. */
const ANSWERS_WITHIN_MS = 120_000
export const SWIFT_WITHIN_MS = ANSWERS_WITHIN_MS + 60_000
/** So small that listings have several pages. */
const PAGE = 20

export type Swift = {
  readonly endpoint: string
  /** The folder with the objects. */
  readonly folder: string
  /** A new, empty bucket. */
  bucket(): Promise<S3Options>
  stop(): Promise<void>
}

export async function startSwift(): Promise<Swift> {
  const folder = await mkdtemp(join(tmpdir(), 'emissary-swift-'))
  await mkdir(join(folder, 'disks', 'one'), { recursive: true })
  const port = await freePort()
  const storage = KINDS.map(async (kind) => {
    const own = await freePort()
    await buildRing(folder, kind, own)
    const server = await startServer(folder, kind, storageConfig(folder, kind, own))
    // Before the proxy starts: after ten refused connections it avoids a server for a minute.
    await until(`Swift's ${kind} server listens`, () => isListening(own), ANSWERS_WITHIN_MS)
    return server
  })
  const servers = [...(await Promise.all(storage)), await startServer(folder, 'proxy', proxyConfig(folder, port))]
  const endpoint = `http://127.0.0.1:${port}`
  const end = async (): Promise<void> => {
    await Promise.all(servers.map(stop))
    await rm(folder, { recursive: true, force: true })
  }
  const answers = async () => (await fetch(`${endpoint}/healthcheck`).catch(() => null))?.ok
  await until('Swift answers', answers, ANSWERS_WITHIN_MS).catch(async (error: unknown) => {
    await end()
    throw error
  })
  return {
    endpoint,
    folder: join(folder, 'disks'),
    async bucket() {
      const bucket = newId('bucket', new Date()).replaceAll('_', '-').toLowerCase()
      const client = new S3Client({ endpoint, region: REGION, credentials: CREDENTIALS, forcePathStyle: true })
      await client.send(new CreateBucketCommand({ Bucket: bucket }))
      client.destroy()
      return { bucket, endpoint, region: REGION, credentials: CREDENTIALS, directReads: false, timeoutMs: 30_000 }
    },
    stop: end,
  }
}

async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  server.kill('SIGKILL')
  await once(server, 'exit')
}

async function buildRing(folder: string, kind: string, port: number): Promise<void> {
  const builder = join(folder, `${kind}.builder`)
  const steps = [['create', '2', '1', '0'], ['add', `r1z1-127.0.0.1:${port}/one`, '1'], ['rebalance']]
  for (const args of steps) await runProcess({ program: 'swift-ring-builder', args: [builder, ...args], limitMs: 60_000 })
}

async function startServer(folder: string, kind: string, config: string): Promise<ChildProcess> {
  const file = join(folder, `${kind}.conf`)
  await writeFile(file, config)
  // `workers = 0`: one process, which ends on SIGTERM.
  return spawn(`swift-${kind}-server`, [file], { stdio: 'ignore' })
}

function common(folder: string, port: number): string {
  return `bind_ip = 127.0.0.1\nbind_port = ${port}\nworkers = 0\nuser = ${userName()}\nswift_dir = ${folder}\nlog_address = ${folder}/log\n`
}

function userName(): string {
  return spawnSync('id', ['-un'], { encoding: 'utf8' }).stdout.trim()
}

function storageConfig(folder: string, kind: string, port: number): string {
  return `[DEFAULT]
${common(folder, port)}devices = ${folder}/disks
mount_check = false
[pipeline:main]
pipeline = ${kind}-server
[app:${kind}-server]
use = egg:swift#${kind}
`
}

function proxyConfig(folder: string, port: number): string {
  return `[DEFAULT]
${common(folder, port)}[pipeline:main]
pipeline = catch_errors healthcheck cache listing_formats bulk s3api tempauth slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:healthcheck]
use = egg:swift#healthcheck
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:9
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:bulk]
use = egg:swift#bulk
[filter:s3api]
use = egg:swift#s3api
location = ${REGION}
max_bucket_listing = ${PAGE}
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
`
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } finally {
    socket.destroy()
  }
}
