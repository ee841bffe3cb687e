// One simulated node: the real dispatch, launch, attendance, supervision and delivery of the service, with simulated hosts.
import type { BotId, WorkspaceId } from '../src/domain/bot.ts'
import type { BotOrders } from '../src/domain/protocol.ts'
import type { Logger } from '../src/kit/log.ts'
import { type Db, limitsOf, URGENT } from '../src/service/db/database.ts'
import { renewClaims } from '../src/service/db/node-leases.ts'
import { startDelivery } from '../src/service/delivery/deliver.ts'
import { createLiveEvents } from '../src/service/delivery/live-events.ts'
import { startAttendance } from '../src/service/fleet/attendance.ts'
import { startDispatch } from '../src/service/fleet/dispatch.ts'
import { newFleetPace } from '../src/service/fleet/fleet-pace.ts'
import type { HostLaunch } from '../src/service/fleet/host-process.ts'
import type { HostSandboxes } from '../src/service/fleet/host-sandbox.ts'
import { type KeeperLink, keepInThisThread } from '../src/service/fleet/keeper-client.ts'
import { launch } from '../src/service/fleet/launch.ts'
import { startNode } from '../src/service/fleet/nodes.ts'
import { PendingLaunches } from '../src/service/fleet/pending-launches.ts'
import { startSupervision } from '../src/service/fleet/supervise.ts'
import type { FleetDeps } from '../src/service/fleet/transition.ts'
import { Uploads } from '../src/service/fleet/upload.ts'
import { LEASES } from '../src/service/leases.ts'
import type { ObjectStore } from '../src/storage/store.ts'
import { Link, type LinkHooks } from './connection.ts'
import { type HostTools, SimulatedHost } from './host.ts'
import type { Receiver } from './receiver.ts'
import type { Scenario } from './scenario.ts'
import type { Server } from './server.ts'
import { type Machine, Process, running } from './world.ts'

const SEAT_WAIT_SECONDS = 120
const ORDINARY = limitsOf(10)
/** `DATABASE_CONNECTIONS`, which a large fleet lowers, and the connections for leases. */
const CONNECTIONS = { ofMany: 4, ofFew: 16, urgent: 2 }

export type NodeTools = {
  readonly scenario: Scenario
  readonly server: Server
  readonly receiver: Receiver
  readonly hostTools: Omit<HostTools, 'reachesMeetings'>
  readonly hooks: LinkHooks
  readonly delivers: boolean
}

type Stop = () => Promise<void>

export class SimulatedNode {
  readonly machine: Machine
  readonly #tools: NodeTools
  #started = 0
  /** Null: it does not run. */
  service: { readonly process: Process; readonly link: Link; readonly fleet: FleetDeps; readonly stops: readonly Stop[] } | null = null
  readonly #hosts: SimulatedHost[] = []
  noMeetingsUntilMs = 0
  cutUntilMs = 0

  constructor(machine: Machine, tools: NodeTools) {
    this.machine = machine
    this.#tools = tools
  }

  /** Those that live, the last service's among them. */
  hosts(): readonly SimulatedHost[] {
    return this.#hosts.filter(({ process }) => !process.isDead)
  }

  start(): void {
    if (this.service) return
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
    for (const host of this.hosts()) host.disconnect()
  }

  /** The machine is gone. */
  lose(): void {
    for (const host of this.hosts()) host.end('SIGKILL')
    if (!this.service) return
    const { process, link } = this.service
    this.service = null
    process.isDead = true
    link.reset(true)
  }

  /** SIGTERM, in the order of the service: parts stop in the reverse order of their start. */
  stop(): void {
    const { service } = this
    if (!service) return
    running.run({ process: service.process }, async () => {
      for (const stop of service.stops.toReversed()) await stop().catch(() => undefined)
      if (this.service === service) this.kill()
    })
  }

  #wire(process: Process, link: Link): { fleet: FleetDeps; stops: readonly Stop[] } {
    const { scenario, server, receiver, delivers } = this.#tools
    const db = link.open(ORDINARY, server.isParallel ? CONNECTIONS.ofMany : CONNECTIONS.ofFew)
    const urgentDb = link.open(URGENT, CONNECTIONS.urgent)
    const log = this.#log(process)
    const now = () => new Date()
    const stops: Stop[] = []
    const wakes: Record<'delivery' | 'dispatch', () => void> = { delivery: () => undefined, dispatch: () => undefined }
    const fleet: FleetDeps = { db, tariff: FREE, onNews: () => wakes.delivery(), onDue: () => wakes.dispatch() }
    if (delivers) {
      const random = process.world.randomOf('retries', process.name)
      const http = receiver.clientFor(process)
      const delivery = startDelivery({ db, log, now, random, http, vault: UNUSED, headerPrefix: 'webhook' })
      wakes.delivery = () => delivery.wake()
      stops.push(() => delivery.stop())
    }
    const live = createLiveEvents({ db, onNews: fleet.onNews, allowPrivate: false, now })
    const launching = new PendingLaunches()
    const { hosts, handOver, stop } = startAttendance({
      deps: {
        ...fleet,
        nodeId: process.name,
        live,
        launching,
        store: UNUSED,
        uploads: new NoUploads(),
        runningExtent: 'closed segments',
        onRecorded: () => undefined,
      },
      ...{ log, sandboxes: SANDBOXES, launchIn: () => NO_LAUNCH, keeper: this.#keeperOf(process, urgentDb) },
      ...{ mostHosts: scenario.hostsPerMachine, seatsPerHost: scenario.seatsPerHost, shareBrowsers: scenario.shareBrowsers, warmHosts: 0 },
    })
    const node = { id: process.name, key: '', startedAt: now() }
    const registered = startNode({ db: urgentDb, log, node, about: ABOUT, seats: () => ({ ...hosts.seats(), draining: false }) })
    stops.push(stop, handOver, () => registered.stop())
    const place = ({ id, workspaceId, fence, spec, customAttributes }: PlacedBot): void =>
      hosts.place({ botId: id, fence, spec, folder: '', customAttributes } as BotOrders, workspaceId, launching.untilMs(id))
    const zoom = { way: 'web', app: null } as const
    const toLaunch = { ...fleet, now, place, publicUrl: () => '', vault: UNUSED, zoom, zoomObstacle: null }
    const pace = newFleetPace(process.world.randomOf('supervision', process.name))
    const claims = { freeSeats: () => hosts.freeSeats(), launching, mostPerWorkspace: null, pace }
    const dispatch = startDispatch({ db, log, nodeId: process.name, launch: (bot) => launch(toLaunch, bot), ...claims })
    wakes.dispatch = () => dispatch.wake()
    stops.push(() => dispatch.stop())
    const supervision = startSupervision({ ...fleet, log, now, pace, zoom, seatWaitSeconds: SEAT_WAIT_SECONDS })
    stops.push(() => supervision.stop())
    return { fleet, stops }
  }

  /** In the simulated process of its service: a pause of the one is a pause of the other. */
  #keeperOf(service: Process, db: Db): KeeperLink {
    const renewal = { nodeId: service.name, leaseSeconds: LEASES.bot.seconds }
    return keepInThisThread({
      renew: (claims) => renewClaims(db, { ...renewal, claims }),
      fork: () => this.#startHost(service).asChildProcess(),
    })
  }

  #startHost(service: Process): SimulatedHost {
    const { world } = this.machine
    const reachesMeetings = (): boolean => this.noMeetingsUntilMs <= world.nowMs
    const name = `${service.name}-h${this.#hosts.length + 1}`
    const host = new SimulatedHost(name, service, { ...this.#tools.hostTools, reachesMeetings })
    this.#hosts.push(host)
    return host
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

type PlacedBot = Pick<BotOrders, 'fence' | 'spec' | 'customAttributes'> & { readonly id: BotId; readonly workspaceId: WorkspaceId }

const ABOUT = { address: '', roles: ['fleet'], version: '' } as const

/** Simulated hosts are not forked. */
const NO_LAUNCH: HostLaunch = { path: '', args: [], options: {} }

const FREE = { enforced: false, pricePerHour: 0.36, currency: 'USD' }

/** Parts that no simulated bot needs: a use of one is an error. */
const UNUSED = null as unknown as ObjectStore & { open(): never; seal(): never }

/** Recordings are not simulated. */
class NoUploads extends Uploads {
  constructor() {
    super({ store: UNUSED, recordings: '' })
  }

  override async recordedBots(): Promise<readonly BotId[]> {
    return []
  }

  override async upload(): Promise<void> {}

  override async finish(): Promise<void> {}
}

const SANDBOXES: HostSandboxes = {
  shared: null,
  take: () => ({
    environment: {},
    launcher: (command, args) => ({ command, args: [...args], identity: {} }),
    changeOwner: () => undefined,
    leave: async () => undefined,
  }),
  close: async () => undefined,
}
