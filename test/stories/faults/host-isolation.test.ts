// Bot hosts of a service that runs as root: separate users and homes, Chromium's sandbox, and no access to the service's files.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from '../../../sims/room/people.ts'
import { ADA, BEN, Stage } from '../../helpers/bot-in-room.ts'
import { hostProcesses, processesUnderHosts } from '../../helpers/host-processes.ts'
import { readRecording } from '../../helpers/recording.ts'
import { startTestService } from '../../helpers/service.ts'
import { until } from '../../helpers/until.ts'

const LONG_MS = 120_000
const isRoot = process.getuid?.() === 0

let stage: Stage
beforeAll(async () => {
  stage = new Stage(await startTestService({ BOT_HOSTS: '2', SECRET_KEY: '' }), await launchBrowser())
})
afterAll(async () => {
  await stage?.browser.close()
  await stage?.service.stop()
})

const uidOf = (pid: number) => statSync(`/proc/${pid}`).uid
const statusOf = (pid: number, field: string) =>
  new RegExp(`^${field}:\\s*(.*)$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
const homeOf = (pid: number) => /(?:^|\0)HOME=([^\0]*)/.exec(readFileSync(`/proc/${pid}/environ`, 'utf8'))?.[1] ?? ''
const folderOf = (id: string) => join(stage.service.directory, 'recordings', id)
const lastMs = (id: string) =>
  Math.max(0, ...readRecording(folderOf(id)).tracks.flatMap(({ segments }) => segments.map(({ endMs }) => endMs)))
const records = (id: string) => until('the bot records', () => lastMs(id) > 0, 30_000)

/** Runs code as an attacker would who took over the host. */
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
  'runs the host and its browser as an unprivileged user with Chromium’s sandbox, and records',
  async () => {
    const id = await recordingBot('isolated')
    const [host = 0] = hostProcesses()
    const browsers = processesUnderHosts('chromium')
    expect(browsers.length).toBeGreaterThan(2)
    expect(new Set(browsers.map(uidOf))).toEqual(new Set([uidOf(host)]))
    if (isRoot) expect(uidOf(host)).toBeGreaterThan(0)
    expect(processesUnderHosts('--no-sandbox')).toEqual([])
    for (const renderer of processesUnderHosts('--type=renderer')) {
      expect(statusOf(renderer, 'Seccomp')).toBe('2')
      expect(readlinkSync(`/proc/${renderer}/ns/user`)).not.toBe(readlinkSync(`/proc/${host}/ns/user`))
    }
    const home = homeOf(host)
    expect(statSync(home).mode & 0o777).toBe(0o700)
    expect(statSync(home).uid).toBe(uidOf(host))
    await stage.finish(id)
    const { body } = await stage.service.api('GET', `/api/v1/bots/${id}/get_audio`)
    expect(JSON.stringify(body)).toContain('http')
    await until('the home of the host is gone', () => !existsSync(home), 20_000)
  },
  LONG_MS,
)

test(
  'denies a host access to the secret key, the objects and other hosts’ recordings',
  async () => {
    const id = await recordingBot('curious')
    const [host = 0] = hostProcesses()
    const own = readAs(host, join(folderOf(id), 'manifest-1.jsonl'))
    expect(own.out).toContain('started')
    const stranger = await stage.service.stranger()
    await stage.cast('curious-other', BEN)
    const { body } = await stranger('POST', '/api/v1/bots/create_bot', { meeting_link: stage.link('curious-other') })
    await records(body.bot_id)
    const other = hostProcesses().find((pid) => pid !== host) ?? 0
    expect([homeOf(other), other]).not.toEqual([homeOf(host), 0])
    if (isRoot) {
      const closed = [
        join(stage.service.directory, 'secret.key'),
        join(folderOf(body.bot_id), 'manifest-1.jsonl'),
        `/proc/${process.pid}/environ`,
      ]
      for (const path of closed) expect([path, readAs(host, path).status, readAs(host, path).out]).toEqual([path, 1, ''])
      const objects = execFileSync('find', [join(stage.service.directory, 'objects'), '-type', 'f'], { encoding: 'utf8' })
        .trim()
        .split('\n')
      for (const path of objects) expect([path, readAs(host, path).status]).toEqual([path, 1])
    }
    await stage.remove(id)
    await stranger('GET', `/api/v1/bots/${body.bot_id}/remove_bot`)
    await until('both hosts have ended', () => ![host, other].some((pid) => existsSync(`/proc/${pid}`)), 30_000)
  },
  LONG_MS,
)

test(
  'continues the recording in another host when the host is killed',
  async () => {
    const id = await recordingBot('killed')
    const [host = 0] = hostProcesses()
    const owner = uidOf(host)
    process.kill(host, 'SIGKILL')
    await until('another host runs', () => hostProcesses().some((pid) => pid !== host), 30_000)
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
