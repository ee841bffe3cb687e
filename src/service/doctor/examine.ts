// Runs the checks of `emissary doctor`: machine checks here, browser and join page in a process that is started like a bot host.
import { once } from 'node:events'
import type { Check, DoorVisit, FromDoctor } from '../../domain/doctor.ts'
import { note, ok, problem } from '../../domain/doctor.ts'
import { forkHost, type HostProcessOptions, launchOf } from '../fleet/host-process.ts'
import type { HostSandboxes } from '../fleet/host-sandbox.ts'
import { checkMachine, type MachineSettings } from './machine-checks.ts'
import { checkZoom, type ZoomSettings } from './zoom-checks.ts'

const LOOK_WITHIN_MS = 240_000

export type Examination = {
  readonly machine: MachineSettings
  readonly zoom: ZoomSettings
  readonly hosts: Omit<HostProcessOptions, 'quarter'>
  readonly sandboxes: HostSandboxes
  readonly visit: DoorVisit | null
}

export async function examine({ machine, zoom, hosts, sandboxes, visit }: Examination): Promise<FromDoctor> {
  const meeting = visit?.spec.meeting ?? null
  const zoomChecks = await checkZoom(zoom, meeting)
  const checks = [...(await checkMachine(machine)), ...zoomChecks, checkUsers(sandboxes)]
  // With a Zoom problem the bot cannot reach the join page.
  const isBlocked = meeting?.platform === 'zoom' && zoomChecks.some(({ state }) => state === 'problem')
  const sandbox = sandboxes.take()
  try {
    const found = await lookWith({ ...hosts, sandbox }, isBlocked ? null : visit)
    return { checks: [...checks, ...found.checks], report: found.report }
  } finally {
    await sandbox.leave()
  }
}

function checkUsers({ shared }: HostSandboxes): Check {
  if (shared === null) return ok('users', 'Each bot host runs as its own user')
  return note('users', `Bot hosts run as the user of the service, because ${shared}`, 'See docs/security.md.')
}

async function lookWith(options: HostProcessOptions, visit: DoorVisit | null): Promise<FromDoctor> {
  const child = forkHost(launchOf('doctor', options))
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    said = `${said}${chunk}`.slice(-2_000)
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), LOOK_WITHIN_MS)
  const answer = once(child, 'message').then(([found]) => found as FromDoctor)
  const ended = once(child, 'exit').then((): FromDoctor => ({ checks: [failed(said)], report: null }))
  try {
    child.send({ visit })
    return await Promise.race([answer, ended])
  } finally {
    clearTimeout(timer)
    if (child.connected) child.disconnect()
    await ended
  }
}

function failed(said: string): Check {
  const [line = 'it printed nothing'] = said.split('\n').filter((it) => /\w/.test(it))
  return problem('browser', `The program that opens the browser ended: ${line}`, 'Report a bug with this output.')
}
