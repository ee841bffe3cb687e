// The service with a small disk mounted in its own namespace, which a test fills, empties and grows.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { until } from '../until.ts'
import { freePort } from './free-port.ts'
import { SECRET_KEY } from './service.ts'

export type ServiceOnSmallDisk = {
  readonly url: string
  said(): string
  grow(size: string): void
  /** Writes a file of this size to the small disk, or less if it is full. */
  fill(name: string, megabytes: number): void
  empty(name: string): void
  stop(): Promise<number | null>
}

/** `place` is the folder that becomes a disk of this size, such as 120k. */
export async function startOnSmallDisk(settings: Record<string, string>, place: string, size: string): Promise<ServiceOnSmallDisk> {
  const port = String(await freePort())
  const script = `mount -t tmpfs -o size=${size},mode=755 tmpfs ${place} && exec node src/cli.ts serve`
  const env = { PATH: process.env.PATH, HOST: '127.0.0.1', WARM_WORKERS: '0', SECRET_KEY, ...settings, LOG_LEVEL: 'warn', PORT: port }
  // An unprivileged user becomes root of its own namespace.
  const asRoot = process.getuid?.() === 0
  const apart = asRoot ? ['--mount'] : ['--map-root-user', '--mount']
  const child = spawn('unshare', [...apart, 'sh', '-c', script], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk))
  const url = `http://127.0.0.1:${port}`
  const ready = async () => (await fetch(`${url}/readyz`).catch(() => null))?.ok
  await until('the service answers', ready, 60_000).catch((error: unknown) => {
    throw new Error(`The service printed: ${said}`, { cause: error })
  })
  const inside = (...command: string[]) =>
    execFileSync('nsenter', ['-t', String(child.pid), '-m', ...(asRoot ? [] : ['-U', '--preserve-credentials']), ...command], {
      stdio: 'ignore',
    })
  return {
    url,
    said: () => said,
    grow: (to) => void inside('mount', '-o', `remount,size=${to}`, place),
    fill: (name, megabytes) => void inside('sh', '-c', `head -c ${megabytes}M /dev/zero > ${place}/${name} || true`),
    empty: (name) => void inside('rm', '-f', `${place}/${name}`),
    async stop() {
      const exit = once(child, 'exit')
      child.kill('SIGINT')
      await exit
      return child.exitCode
    },
  }
}
