// One simulated node: the real dispatch, launch, supervision and delivery of the service, with simulated workers.

import type { BotId, WorkspaceId } from '../src/domain/bot.ts'
import type { BotOrders } from '../src/domain/protocol.ts'
import type { Logger } from '../src/kit/log.ts'
import type { Loop } from '../src/kit/loop.ts'
import { monotonicMs } from '../src/kit/monotonic.ts'
import { type Db, limitsOf, URGENT } from '../src/service/db/database.ts'
import { startDelivery } from '../src/service/delivery/deliver.ts'
import { createLiveEvents } from '../src/service/delivery/live-events.ts'
import type { FleetDeps } from '../src/service/fleet/bot/transition.ts'
import type { Succeed } from '../src/service/fleet/node/bot-requests.ts'
import { startDispatch } from '../src/service/fleet/node/dispatch.ts'
import { newFleetPace } from '../src/service/fleet/node/fleet-pace.ts'
import type { AskSuccessor } from '../src/service/fleet/node/hand-over.ts'
import { launch } from '../src/service/fleet/node/launch.ts'
import { type AnswerNode, answerFor } from '../src/service/fleet/node/node-questions.ts'
import { startNode } from '../src/service/fleet/node/nodes.ts'
import { PendingLaunches } from '../src/service/fleet/node/pending-launches.ts'
import { startRunningBots } from '../src/service/fleet/node/running-bots.ts'
import { startSupervision } from '../src/service/fleet/node/supervise.ts'
import { freeJoinPlaces } from '../src/service/fleet/workers/joins.ts'
import type { Workers } from '../src/service/fleet/workers/workers.ts'
import { FREE, NO_LAUNCH, NoUploads, SANDBOXES, UNUSED } from './absent-parts.ts'
import { Link, type LinkHooks } from './connection.ts'
import { leasesOf } from './leases.ts'
import type { NodeNetwork } from './node-network.ts'
import type { PlantedBug } from './planted-bugs.ts'
import type { Receiver } from './receiver.ts'
import type { Scenario } from './scenario.ts'
import type { Server } from './server.ts'
import { SimulatedWorker, type WorkerTools } from './worker.ts'
import { type Machine, Process, running } from './world.ts'

const UPLOAD_EVERY_MS = 15_000
/** `DRAIN_SECONDS`, as far as bots are handed over in turn. */
const DRAIN_MS = 20_000
const ORDINARY = limitsOf(10)
/** `DATABASE_CONNECTIONS`, which a large fleet lowers, and the connections for leases. */
const CONNECTIONS = { ofMany: 4, ofFew: 16, urgent: 2 }

export type NodeTools = {
  readonly scenario: Scenario
  readonly server: Server
  readonly receiver: Receiver
  readonly workerTools: Omit<WorkerTools, 'reachesMeetings'>
  readonly hooks: LinkHooks
  readonly network: NodeNetwork
  readonly bug: PlantedBug | undefined
  readonly delivers: boolean
}

type Stop = () => Promise<void>
type Wired = {
  readonly fleet: FleetDeps
  readonly stops: readonly Stop[]
  readonly answer: AnswerNode
  readonly succeed: Succeed
  /** Takes no new bots, and lets other nodes succeed its own. */
  readonly drain: () => Promise<void>
}

export class SimulatedNode {
  readonly machine: Machine
  readonly #tools: NodeTools
  #started = 0
  /** Null: it does not run. */
  service: ({ readonly process: Process; readonly link: Link } & Wired) | null = null
  readonly #workers: SimulatedWorker[] = []
  noMeetingsUntilMs = 0
  cutUntilMs = 0
  /** Other nodes cannot reach it. */
  apartUntilMs = 0
  isLost = false

  constructor(machine: Machine, tools: NodeTools) {
    this.machine = machine
    this.#tools = tools
  }

  /** Those that live, the last service's among them. */
  workers(): readonly SimulatedWorker[] {
    return this.#workers.filter(({ process }) => !process.isDead)
  }

  start(): void {
    if (this.service) return
    this.isLost = false
    this.#started += 1
    const process = new Process(`${this.machine.name}.${this.#started}`, this.machine)
    process.lateMs = this.#tools.scenario.lateMs
    const link = new Link(process, this.#tools.server, this.#tools.hooks)
    link.cutUntilMs = this.cutUntilMs
    link.onKill = () => this.kill()
    running.run({ process }, () => {
      this.service = { process, link, ...this.#wire(process, link) }
    })
  }

  /** kill -9 of the service. */
  kill(): void {
    const { service } = this
    if (!service) return
    this.service = null
    this.machine.world.note(service.process.name, 'is killed')
    service.process.isDead = true
    service.link.reset(service.link.isCut)
    for (const worker of this.workers()) worker.disconnect()
  }

  /** The machine is gone. */
  lose(): void {
    this.isLost = true
    for (const worker of this.workers()) worker.end('SIGKILL')
    if (!this.service) return
    const { process, link } = this.service
    this.service = null
    process.isDead = true
    link.reset(true)
  }

  /** SIGTERM, in the order of the service: parts stop in the reverse order of their start. */
  stop({ drains = false } = {}): void {
    const { service } = this
    if (!service) return
    running.run({ process: service.process }, async () => {
      if (drains) await service.drain()
      for (const stop of service.stops.toReversed()) await stop().catch(() => undefined)
      if (this.service === service) this.kill()
    })
  }

  #wire(process: Process, link: Link): Wired {
    const { scenario, server, delivers } = this.#tools
    const db = link.open(ORDINARY, server.isParallel ? CONNECTIONS.ofMany : CONNECTIONS.ofFew)
    const urgentDb = link.open(URGENT, CONNECTIONS.urgent)
    const { ending, onRenewed, keeper } = leasesOf({ ...this.#tools, service: process, urgentDb }, () => this.#startWorker(process))
    const log = this.#log(process)
    const now = () => new Date()
    const stops: Stop[] = []
    const wakes: Record<'delivery' | 'dispatch', () => void> = { delivery: () => undefined, dispatch: () => undefined }
    const fleet: FleetDeps = { db, tariff: FREE, onNews: () => wakes.delivery(), onDue: () => wakes.dispatch() }
    if (delivers) {
      const delivery = this.#deliver(process, db, log)
      wakes.delivery = () => delivery.wake()
      stops.push(() => delivery.stop())
    }
    const live = createLiveEvents({ db, onNews: fleet.onNews, allowPrivate: false, now })
    const launching = new PendingLaunches()
    const askSuccessor: AskSuccessor = (node, claim) => this.#tools.network.askSuccessor(process, node, claim)
    const deps = { ...fleet, nodeId: process.name, outageSeconds: scenario.outageSeconds, live, launching, ...NO_RECORDINGS }
    const runningBots = startRunningBots({ deps, log, keeper, askSuccessor, ...workersOf(scenario) })
    const { workers } = runningBots
    const node = { id: process.name, key: '', startedAt: now() }
    const draining = new AbortController()
    const seats = () => ({ ...workers.seats(), draining: draining.signal.aborted })
    const about = { ...ABOUT, address: this.machine.name, outageSeconds: scenario.outageSeconds }
    const registered = startNode({ db: urgentDb, log, node, about, onRenewed, seats })
    stops.push(runningBots.stop, runningBots.handOver, () => registered.stop())
    const place = (bot: PlacedBot): void => workers.place(ordersOf(bot), bot.workspaceId, launching.untilMs(bot.id))
    const zoom = { way: 'web', app: null, obstacle: null } as const
    const toLaunch = { ...fleet, now, place, publicUrl: () => '', vault: UNUSED, zoom, zoomObstacle: null }
    const pace = newFleetPace(process.world.randomOf('supervision', process.name))
    const bounds = boundsOf(scenario, { workers, launching, draining: draining.signal })
    const dispatch = startDispatch({ db, log, pace, nodeId: process.name, launch: (bot) => launch(toLaunch, bot), ...bounds })
    wakes.dispatch = () => dispatch.wake()
    stops.push(() => dispatch.stop())
    const supervision = startSupervision({ ...fleet, ...ending, log, now, pace, joinPlaces: scenario.joinPlaces, zoom })
    stops.push(() => supervision.stop())
    const holds = () => workers.bots().length + launching.claims().length > 0
    return {
      fleet,
      stops,
      answer: answerFor({ rights: ending.rights, holds }),
      succeed: async (claim) =>
        !draining.signal.aborted && runningBots.succeed(claim, { ...bounds, launch: (bot) => launch(toLaunch, bot) }),
      async drain() {
        draining.abort()
        await runningBots.handOverInTurn({ untilMs: monotonicMs() + DRAIN_MS, interrupted: new AbortController().signal })
      },
    }
  }

  #deliver(process: Process, db: Db, log: Logger): Loop {
    const random = process.world.randomOf('retries', process.name)
    const http = this.#tools.receiver.clientFor(process)
    return startDelivery({ db, log, now: () => new Date(), random, http, vault: UNUSED, headerPrefix: 'webhook' })
  }

  #startWorker(service: Process): SimulatedWorker {
    const { world } = this.machine
    const reachesMeetings = (): boolean => this.noMeetingsUntilMs <= world.nowMs
    const name = `${service.name}-h${this.#workers.length + 1}`
    const worker = new SimulatedWorker(name, service, { ...this.#tools.workerTools, reachesMeetings })
    this.#workers.push(worker)
    return worker
  }

  #log({ name, world }: Process): Logger {
    const write =
      (level: string) =>
      ({ err, ...facts }: { readonly err?: Error }, message: string): void =>
        world.note(name, `${level}: ${message} ${err ? `(${err.message})` : ''} ${JSON.stringify(facts)}`)
    const log = { error: write('error'), warn: write('warn'), info: write('info'), child: () => log }
    return log as unknown as Logger
  }
}

const NO_RECORDINGS = { store: UNUSED, uploads: new NoUploads(), onRecorded: () => undefined }

function workersOf({ workersPerMachine, seatsPerWorker, shareBrowsers }: Scenario) {
  const seats = { mostWorkers: workersPerMachine, seatsPerWorker, shareBrowsers, warmWorkers: 0 }
  return { ...seats, sandboxes: SANDBOXES, launchIn: () => NO_LAUNCH, uploadEveryMs: UPLOAD_EVERY_MS }
}

type Bounds = { readonly workers: Workers; readonly launching: PendingLaunches; readonly draining: AbortSignal }

/** What it takes at once. */
function boundsOf({ joinPlaces }: Scenario, { workers, launching, draining }: Bounds) {
  const affordable = () => (draining.aborted ? 0 : freeJoinPlaces(joinPlaces, workers, launching))
  return { freeSeats: () => workers.freeSeats(), affordable, launching, mostPerWorkspace: null }
}

type PlacedBot = Pick<BotOrders, 'fence' | 'spec' | 'customAttributes'> & { readonly id: BotId; readonly workspaceId: WorkspaceId }

function ordersOf({ id, fence, spec, customAttributes }: PlacedBot): BotOrders {
  return { botId: id, fence, spec, folder: '', customAttributes } as BotOrders
}

const ABOUT = { roles: ['fleet'], version: '' } as const
