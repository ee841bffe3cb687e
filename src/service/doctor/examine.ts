// Everything that `emissary doctor` looks at: the machine here, and the browser and the door in a program that is started as bot hosts are.
import { once } from 'node:events'
import type { Check, DoorVisit, FromDoctor } from '../../domain/doctor.ts'
import { note, ok, problem } from '../../domain/doctor.ts'
import { type HostProcessOptions, startBotProgram } from '../fleet/host-process.ts'
import type { Quarters } from '../fleet/host-quarters.ts'
import { checkMachine, type MachineSettings } from './machine-checks.ts'
import { checkZoom, type ZoomSettings } from './zoom-checks.ts'

const LOOK_WITHIN_MS = 240_000

export type Examination = {
  readonly machine: MachineSettings
  readonly zoom: ZoomSettings
  readonly hosts: Omit<HostProcessOptions, 'quarter'>
  readonly quarters: Quarters
  readonly visit: DoorVisit | null
}

export async function examine({ machine, zoom, hosts, quarters, visit }: Examination): Promise<FromDoctor> {
  const meeting = visit?.spec.meeting ?? null
  const ofZoom = await checkZoom(zoom, meeting)
  const checks = [...(await checkMachine(machine)), ...ofZoom, checkUsers(quarters)]
  // Without these the bot does not get as far as the door.
  const isKeptBack = meeting?.platform === 'zoom' && ofZoom.some(({ state }) => state === 'problem')
  const quarter = quarters.take()
  try {
    const found = await lookWith({ ...hosts, quarter }, isKeptBack ? null : visit)
    return { checks: [...checks, ...found.checks], report: found.report }
  } finally {
    await quarter.leave()
  }
}

function checkUsers({ shared }: Quarters): Check {
  if (shared === null) return ok('users', 'Each bot host has a user of its own')
  return note('users', `Bot hosts run as the user of the service, because ${shared}`, 'See docs/security.md.')
}

async function lookWith(options: HostProcessOptions, visit: DoorVisit | null): Promise<FromDoctor> {
  const child = startBotProgram('doctor', options)
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
  const [line = 'it said nothing'] = said.split('\n').filter((it) => /\w/.test(it))
  return problem('browser', `The program that opens the browser ended: ${line}`, 'Report it, with these lines.')
}
