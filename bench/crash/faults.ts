// The kinds of faults: the deployment each needs, how it is caused, and its effect on a bot's session.
import { setTimeout as delay } from 'node:timers/promises'
import { childrenWith, commandOf, treesOf } from '../harness/processes.ts'
import type { Span } from './media.ts'
import type { Deployment, Subject } from './service-under-test.ts'
import { oneOf } from './wait.ts'

export const KINDS = ['service', 'host', 'chromium', 'backend', 'postmaster', 'frozen-database', 'cut-connection', 'machine'] as const
export type Kind = (typeof KINDS)[number]

/** Longer than every lease of the service, so its claims are free when the database answers again. */
const FROZEN_MS = 15_000

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
  host: {
    about: 'kill -9 of a bot host',
    deployment: 'embedded',
    session: 'ends',
    strike: async (subject, random) => end(oneOf(hostsOf(subject), random, 'bot host')),
  },
  chromium: {
    about: 'kill -9 of a bot host’s browser',
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
  'cut-connection': {
    about: 'every database connection of a service with bots is reset',
    deployment: 'outside',
    session: 'stays',
    strike: async (subject, random, bots) => (await subject.holderOf(oneOf(bots, random, 'bot'))).proxy?.reset(),
  },
  machine: {
    about: 'kill -9 of a service with bots and of its bot hosts, and the loss of its disk; an empty one replaces it later',
    deployment: 'bucket',
    session: 'ends',
    mostLostSeconds: 10,
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

/** The innermost process is the host. The ones above it only switch the user. */
function hostsOf(subject: Subject): readonly number[] {
  return below(subject, 'bot/main.ts').filter((pid) => childrenWith(pid, 'bot/main.ts').length === 0)
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
