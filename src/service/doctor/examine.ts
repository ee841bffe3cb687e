// Runs the checks of `emissary doctor`: machine checks here, browser and join page in a process that is started like a worker.
import { once } from 'node:events'
import { type Check, type DoctorOrders, type DoorVisit, type FromDoctor, LEAVE, note, ok, problem } from '../../domain/doctor.ts'
import type { BotIdentity } from '../../domain/protocol.ts'
import { forkWorker, launchOf, type WorkerProcessOptions } from '../fleet/workers/worker-process.ts'
import type { WorkerSandboxes } from '../fleet/workers/worker-sandbox.ts'
import { checkMachine, type MachineSettings } from './machine-checks.ts'
import { checkTeamsApp } from './teams-checks.ts'
import { checkZoom, type ZoomSettings } from './zoom-checks.ts'

const LOOK_WITHIN_MS = 240_000

type Settings = MachineSettings & { readonly zoom: ZoomSettings }
type Place = { readonly browser: WorkerProcessOptions; readonly sandboxes: WorkerSandboxes }
type Orders = { readonly visit: DoorVisit | null; readonly identity: BotIdentity | null } & Pick<DoctorOrders, 'field' | 'comparesFor'>

export async function examine(
  settings: Settings,
  { browser, sandboxes, visit, identity, field, comparesFor }: Place & Orders,
): Promise<FromDoctor> {
  const meeting = visit?.spec.meeting ?? null
  const zoomChecks = await checkZoom(settings.zoom, meeting)
  const checks = [...(await checkMachine(settings)), ...zoomChecks, ...checkTeamsApp(identity), checkUsers(sandboxes)]
  // With a Zoom problem the bot cannot reach the join page.
  const isBlocked = meeting?.platform === 'zoom' && zoomChecks.some(({ state }) => state === 'problem')
  const found = await askBotProgram({ browser, sandboxes }, { visit: isBlocked ? null : visit, field, comparesFor, replay: null })
  return { ...found, checks: [...checks, ...found.checks] }
}

/** Runs the bot program in the sandbox of a worker. */
export async function askBotProgram({ browser, sandboxes }: Place, orders: DoctorOrders): Promise<FromDoctor> {
  const sandbox = sandboxes.take()
  try {
    return await lookWith({ ...browser, sandbox }, orders)
  } finally {
    await sandbox.leave()
  }
}

function checkUsers({ shared }: WorkerSandboxes): Check {
  if (shared === null) return ok('users', 'Each worker runs as its own user')
  return note('users', `Workers run as the user of the service, because ${shared}`, 'See docs/security.md.')
}

async function lookWith(options: WorkerProcessOptions, orders: DoctorOrders): Promise<FromDoctor> {
  const child = forkWorker(launchOf('doctor', options))
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    said = `${said}${chunk}`.slice(-2_000)
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), LOOK_WITHIN_MS + longestJoinMs(orders))
  // A program that ends meanwhile does not receive it.
  const leave = () => void (child.connected && child.send(LEAVE, () => undefined))
  if (orders.field) process.once('SIGINT', leave)
  const answer = once(child, 'message').then(([found]) => found as FromDoctor)
  const ended = once(child, 'exit').then(
    (): FromDoctor => ({ checks: [failed(said)], report: null, steps: null, replayed: null, differences: null }),
  )
  try {
    child.send(orders)
    return await Promise.race([answer, ended])
  } finally {
    clearTimeout(timer)
    process.off('SIGINT', leave)
    if (child.connected) child.disconnect()
    await ended
  }
}

function longestJoinMs({ visit, field }: DoctorOrders): number {
  return field && visit ? (visit.spec.leave.waitingRoomSeconds + field.staySeconds) * 1000 : 0
}

function failed(said: string): Check {
  const [line = 'it printed nothing'] = said.split('\n').filter((it) => /\w/.test(it))
  return problem('browser', `The program that opens the browser ended: ${line}`, 'Report a bug with this output.')
}
