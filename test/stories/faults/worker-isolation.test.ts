// Workers of a service that runs as root: separate users and homes, Chromium's sandbox, and no access to the service's files.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readRecording } from '../../helpers/media/recording.ts'
import { ADA, BEN, Stage } from '../../helpers/meetings/bot-in-room.ts'
import { serviceForFile } from '../../helpers/service/for-file.ts'
import { processesUnderWorkers, workerProcesses } from '../../helpers/service/worker-processes.ts'
import { until } from '../../helpers/until.ts'

const LONG_MS = 240_000
const isRoot = process.getuid?.() === 0

const stage = new Stage(serviceForFile({ BOT_WORKERS: '2', SECRET_KEY: '' }))

const uidOf = (pid: number) => statSync(`/proc/${pid}`).uid
const statusOf = (pid: number, field: string) =>
  new RegExp(`^${field}:\\s*(.*)$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
const homeOf = (pid: number) => /(?:^|\0)HOME=([^\0]*)/.exec(readFileSync(`/proc/${pid}/environ`, 'utf8'))?.[1] ?? ''
const folderOf = (id: string) => join(stage.service.directory, 'recordings', id)
const lastMs = (id: string) =>
  Math.max(0, ...readRecording(folderOf(id)).tracks.flatMap(({ segments }) => segments.map(({ endMs }) => endMs)))
const records = (id: string) => until('the bot records', () => lastMs(id) > 0, 60_000)

/** Runs code as an attacker would who took over the worker. */
function readAs(pid: number, path: string): { readonly status: number | null; readonly out: string } {
  const user = [`--reuid=${uidOf(pid)}`, `--regid=${uidOf(pid)}`, '--clear-groups']
  const { status, stdout } = spawnSync('nsenter', ['--mount', '--target', String(pid), '--', 'setpriv', ...user, '--', 'cat', path], {
    encoding: 'utf8',
  })
  return { status, out: stdout }
}

async function recordingBot(room: string): Promise<string> {
  await stage.cast(room, ADA)
  const id = await stage.send(room)
  await stage.has(id, 'Recording')
  await records(id)
  return id
}

test(
  'runs the worker and its browser as an unprivileged user with Chromium’s sandbox, and records',
  async () => {
    const id = await recordingBot('isolated')
    const [worker = 0] = workerProcesses()
    const browsers = processesUnderWorkers('chromium')
    expect(browsers.length).toBeGreaterThan(2)
    expect(new Set(browsers.map(uidOf))).toEqual(new Set([uidOf(worker)]))
    if (isRoot) expect(uidOf(worker)).toBeGreaterThan(0)
    expect(processesUnderWorkers('--no-sandbox')).toEqual([])
    for (const renderer of processesUnderWorkers('--type=renderer')) {
      expect(statusOf(renderer, 'Seccomp')).toBe('2')
      expect(readlinkSync(`/proc/${renderer}/ns/user`)).not.toBe(readlinkSync(`/proc/${worker}/ns/user`))
    }
    const home = homeOf(worker)
    expect(statSync(home).mode & 0o777).toBe(0o700)
    expect(statSync(home).uid).toBe(uidOf(worker))
    await stage.finish(id)
    const { body } = await stage.service.api('GET', `/api/v1/bots/${id}/get_audio`)
    expect(JSON.stringify(body)).toContain('http')
    await until('the home of the worker is gone', () => !existsSync(home), 20_000)
  },
  LONG_MS,
)

test(
  'denies a worker access to the secret key, the objects and other workers’ recordings',
  async () => {
    const id = await recordingBot('curious')
    const [worker = 0] = workerProcesses()
    const own = readAs(worker, join(folderOf(id), 'manifest-1.jsonl'))
    expect(own.out).toContain('started')
    const stranger = await stage.service.stranger()
    await stage.cast('curious-other', BEN)
    const { body } = await stranger('POST', '/api/v1/bots/create_bot', { meeting_link: stage.link('curious-other') })
    await records(body.bot_id)
    const other = workerProcesses().find((pid) => pid !== worker) ?? 0
    expect([homeOf(other), other]).not.toEqual([homeOf(worker), 0])
    if (isRoot) {
      const closed = [
        join(stage.service.directory, 'secret.key'),
        join(folderOf(body.bot_id), 'manifest-1.jsonl'),
        `/proc/${process.pid}/environ`,
      ]
      for (const path of closed) expect([path, readAs(worker, path).status, readAs(worker, path).out]).toEqual([path, 1, ''])
      const objects = execFileSync('find', [join(stage.service.directory, 'objects'), '-type', 'f'], { encoding: 'utf8' })
        .trim()
        .split('\n')
      for (const path of objects) expect([path, readAs(worker, path).status]).toEqual([path, 1])
    }
    await stage.remove(id)
    await stranger('GET', `/api/v1/bots/${body.bot_id}/remove_bot`)
    await until('both workers have ended', () => ![worker, other].some((pid) => existsSync(`/proc/${pid}`)), 60_000)
  },
  LONG_MS,
)

test(
  'continues the recording in another worker when the worker is killed',
  async () => {
    const id = await recordingBot('killed')
    const [worker = 0] = workerProcesses()
    const owner = uidOf(worker)
    process.kill(worker, 'SIGKILL')
    await until('another worker runs', () => workerProcesses().some((pid) => pid !== worker), 30_000)
    const gap = () => readRecording(folderOf(id)).facts.find(({ fact }) => fact === 'gap')
    await until(
      'the recording goes on',
      () => {
        const found = gap()
        return found?.fact === 'gap' && lastMs(id) > found.toMs
      },
      40_000,
    )
    if (isRoot) expect(statSync(folderOf(id)).uid).not.toBe(owner)
    await stage.finish(id)
  },
  LONG_MS,
)
