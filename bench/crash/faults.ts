// The kinds of faults: the deployment each needs, how it is caused, and its effect on a bot's session.
import { setTimeout as delay } from 'node:timers/promises'
import { childrenWith, commandOf, treesOf } from '../harness/processes.ts'
import type { Span } from './media.ts'
import type { Deployment, Subject } from './service-under-test.ts'
import { oneOf } from './wait.ts'

export const KINDS = [
  'service',
  'worker',
  'chromium',
  'backend',
  'postmaster',
  'stopped-database',
  'frozen-database',
  'database-away',
  'cut-connection',
  'machine',
] as const
export type Kind = (typeof KINDS)[number]

/** Longer than every lease of the service, so its claims are free when the database answers again. */
const FROZEN_MS = 15_000
/** The longest managed failover. */
const AWAY_MS = 60_000

type Fault = {
  readonly about: string
  readonly deployment: Deployment
  /** `may end`: the service gives up its lease in time, which ends the session. */
  readonly session: 'ends' | 'stays' | 'may end'
  /** Of sound, beside the absence. Default: two, because a recording is synced every second. */
  readonly mostLostSeconds?: number
  /** From the fault to the return of a bot. Default: no budget. */
  readonly mostAwaySeconds?: number
  strike(subject: Subject, random: () => number, bots: readonly string[]): Promise<unknown>
}

export const FAULTS: Readonly<Record<Kind, Fault>> = {
  service: {
    about: 'kill -9 of the service; it is started again',
    deployment: 'embedded',
    session: 'ends',
    strike: async (subject, random) => subject.anyNode(random).kill(),
  },
  worker: {
    about: 'kill -9 of a worker',
    deployment: 'embedded',
    session: 'ends',
    strike: async (subject, random) => end(oneOf(workersOf(subject), random, 'worker')),
  },
  chromium: {
    about: 'kill -9 of a worker’s browser',
    deployment: 'embedded',
    session: 'ends',
    strike: async (subject, random) => end(oneOf(browsersOf(subject), random, 'browser')),
  },
  backend: {
    about: 'kill -9 of one PostgreSQL backend',
    deployment: 'embedded',
    session: 'stays',
    strike: async (subject, random) => end(oneOf(backendsOf((await subject.postmaster()).pid), random, 'backend')),
  },
  postmaster: {
    about: 'kill -9 of the embedded postmaster',
    deployment: 'embedded',
    session: 'stays',
    strike: async (subject) => end((await subject.postmaster()).pid),
  },
  'stopped-database': {
    about: `the embedded PostgreSQL is stopped for ${AWAY_MS / 1_000} s`,
    deployment: 'embedded',
    session: 'stays',
    async strike(subject) {
      const processes = treesOf([(await subject.postmaster()).pid])
      for (const pid of processes) process.kill(pid, 'SIGSTOP')
      await delay(AWAY_MS)
      for (const pid of processes) process.kill(pid, 'SIGCONT')
    },
  },
  'frozen-database': {
    about: `the database stops answering a service with bots for ${FROZEN_MS / 1_000} s, while another service reaches it`,
    deployment: 'outside',
    session: 'may end',
    async strike(subject, random, bots) {
      const { proxy } = await subject.holderOf(oneOf(bots, random, 'bot'))
      proxy?.freeze()
      await delay(FROZEN_MS)
      proxy?.thaw()
    },
  },
  'database-away': {
    about: `the database stops answering every service for ${AWAY_MS / 1_000} s`,
    deployment: 'outside',
    session: 'stays',
    async strike({ nodes }) {
      for (const { proxy } of nodes) proxy?.freeze()
      await delay(AWAY_MS)
      for (const { proxy } of nodes) proxy?.thaw()
    },
  },
  'cut-connection': {
    about: 'every database connection of a service with bots is reset',
    deployment: 'outside',
    session: 'stays',
    strike: async (subject, random, bots) => (await subject.holderOf(oneOf(bots, random, 'bot'))).proxy?.reset(),
  },
  machine: {
    about: 'kill -9 of a service with bots and of its workers, and the loss of its disk; an empty one replaces it later',
    deployment: 'bucket',
    session: 'ends',
    // UPLOAD_SECONDS, and what is not synced or still being uploaded.
    mostLostSeconds: 18,
    mostAwaySeconds: 10,
    strike: async (subject, random, bots) => (await subject.holderOf(oneOf(bots, random, 'bot'))).lose(),
  },
}

/** Returns the time from the fault's start to its end. */
export async function strike(kind: Kind, subject: Subject, random: () => number, bots: readonly string[]): Promise<Span> {
  const from = Date.now()
  await FAULTS[kind].strike(subject, random, bots)
  return { from, to: Date.now() }
}

/** The innermost process is the worker. The ones above it only switch the user. */
function workersOf(subject: Subject): readonly number[] {
  return below(subject, 'bot/worker/main.ts').filter((pid) => childrenWith(pid, 'bot/worker/main.ts').length === 0)
}

/** Without the child processes of a browser. */
function browsersOf(subject: Subject): readonly number[] {
  return below(subject, '--remote-debugging').filter((pid) => !commandOf(pid).includes('--type='))
}

function below({ nodes }: Subject, text: string): readonly number[] {
  return treesOf(nodes.map((node) => node.pid())).filter((pid) => commandOf(pid).includes(text))
}

/** Backends of clients, without the server's own processes. */
function backendsOf(postmaster: number): readonly number[] {
  return childrenWith(postmaster, 'postgres: emissary').filter((pid) => !commandOf(pid).includes('walsender'))
}

function end(pid: number): void {
  process.kill(pid, 'SIGKILL')
}
