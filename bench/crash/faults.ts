// The kinds of faults: where each is possible, how it is done, and what it may do to a bot's session in its meeting.
import { setTimeout as delay } from 'node:timers/promises'
import { childrenWith, commandOf, treesOf } from '../processes.ts'
import type { Span } from './media.ts'
import type { Place, Subject } from './subject.ts'
import { oneOf } from './waiting.ts'

export const KINDS = ['service', 'host', 'chromium', 'backend', 'postmaster', 'frozen-database', 'cut-connection'] as const
export type Kind = (typeof KINDS)[number]

/** Longer than every lease of the service: whatever it claimed is free for others when the database answers again. */
const FROZEN_MS = 15_000

type Fault = {
  readonly about: string
  readonly place: Place
  /** A session may also end where the service gives up its right to it in time. */
  readonly session: 'ends' | 'stays' | 'may end'
  strike(subject: Subject, random: () => number, bots: readonly string[]): Promise<unknown>
}

export const FAULTS: Readonly<Record<Kind, Fault>> = {
  service: {
    about: 'kill -9 of the service; it is started again',
    place: 'embedded',
    session: 'ends',
    strike: async (subject, random) => subject.anyNode(random).kill(),
  },
  host: {
    about: 'kill -9 of a bot host',
    place: 'embedded',
    session: 'ends',
    strike: async (subject, random) => end(oneOf(hostsOf(subject), random, 'bot host')),
  },
  chromium: {
    about: 'kill -9 of a bot host’s browser',
    place: 'embedded',
    session: 'ends',
    strike: async (subject, random) => end(oneOf(browsersOf(subject), random, 'browser')),
  },
  backend: {
    about: 'kill -9 of one PostgreSQL backend',
    place: 'embedded',
    session: 'stays',
    strike: async (subject, random) => end(oneOf(backendsOf((await subject.postmaster()).pid), random, 'backend')),
  },
  postmaster: {
    about: 'kill -9 of the embedded postmaster',
    place: 'embedded',
    session: 'stays',
    strike: async (subject) => end((await subject.postmaster()).pid),
  },
  'frozen-database': {
    about: `the database stops answering a service with bots for ${FROZEN_MS / 1_000} s, while another service reaches it`,
    place: 'outside',
    session: 'may end',
    async strike(subject, random, bots) {
      const { line } = await subject.holderOf(oneOf(bots, random, 'bot'))
      line?.freeze()
      await delay(FROZEN_MS)
      line?.thaw()
    },
  },
  'cut-connection': {
    about: 'every database connection of a service with bots is reset',
    place: 'outside',
    session: 'stays',
    strike: async (subject, random, bots) => (await subject.holderOf(oneOf(bots, random, 'bot'))).line?.cut(),
  },
}

/** From its first moment to its last. */
export async function strike(kind: Kind, subject: Subject, random: () => number, bots: readonly string[]): Promise<Span> {
  const from = Date.now()
  await FAULTS[kind].strike(subject, random, bots)
  return { from, to: Date.now() }
}

/** The host itself is the last of those that bear its name: what started it as another user may stand above it. */
function hostsOf(subject: Subject): readonly number[] {
  return below(subject, 'bot/main.ts').filter((pid) => childrenWith(pid, 'bot/main.ts').length === 0)
}

/** Without the processes that a browser starts. */
function browsersOf(subject: Subject): readonly number[] {
  return below(subject, '--remote-debugging').filter((pid) => !commandOf(pid).includes('--type='))
}

function below({ nodes }: Subject, text: string): readonly number[] {
  return treesOf(nodes.map((node) => node.pid())).filter((pid) => commandOf(pid).includes(text))
}

/** Those that serve a client: the others are the server's own. */
function backendsOf(postmaster: number): readonly number[] {
  return childrenWith(postmaster, 'postgres: emissary').filter((pid) => !commandOf(pid).includes('walsender'))
}

function end(pid: number): void {
  process.kill(pid, 'SIGKILL')
}
