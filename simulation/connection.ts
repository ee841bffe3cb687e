// A node's connections to the database: each statement travels there and back on the virtual clock, and a fault can stop it on either way.
import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely'
import { type Db, type Limits, URGENT } from '../src/service/db/database.ts'
import type { Tables } from '../src/service/db/tables.ts'
import { DatabaseUnreachable } from '../src/service/db/unreachable.ts'
import { between, type Random } from './random.ts'
import { type Reply, type Server, Session, type Statement } from './server.ts'
import { type Context, type Process, running } from './world.ts'

/** As in db/client.ts: the client gives up this long after the server's own limit. */
const GRACE_MS = 500
/** As in db/database.ts: the server ends an idle transaction after this many statement limits. */
const IDLE_LIMITS = 3

/** The least time between a statement's arrival and its answer's, if statements are executed side by side. More of them are if it is longer. */
const LOOKAHEAD_MS = 4

/** Real connections are limited in a large world, as by a pooler: a statement waits until one is free. */
const POOLER_RETRY_MS = 2

export type LinkHooks = {
  /** The effects of this statement are checked, so no other one runs meanwhile. */
  readonly isChecked: (text: string) => boolean
  /** A checked statement was executed, and the next one waits for the returned promise. */
  readonly onExecuted: (text: string, reply: Reply) => Promise<void>
  /** An answer arrives, and may be changed to plant a bug. */
  readonly onAnswer: (text: string, reply: Reply, context: Context) => void
}

/** The network between one service process and the database. */
export class Link {
  readonly process: Process
  readonly server: Server
  readonly random: Random
  readonly hooks: LinkHooks
  /** Nothing arrives on either side until then, and neither side notices. */
  cutUntilMs = 0
  /** The same for the connections with urgent limits only. */
  urgentCutUntilMs = 0
  /** Called when a statement arrives. Returns what happens to the process then. */
  onStatement: () => 'nothing' | 'before' | 'after' = () => 'nothing'
  onKill: () => void = () => undefined
  readonly clients = new Set<Client>()

  constructor(process: Process, server: Server, hooks: LinkHooks) {
    this.process = process
    this.server = server
    this.random = process.world.randomOf('network', process.name)
    this.hooks = hooks
  }

  get isCut(): boolean {
    return this.cutUntilMs > this.process.world.nowMs
  }

  latencyMs(): number {
    // Mostly fast. A tenth is slow, so that statements of other nodes come in between. In a large world they do so anyway.
    const [leastMs, slow] = this.server.isParallel ? [LOOKAHEAD_MS, 0.01] : [0.2, 0.1]
    return this.random() < slow ? between(this.random, 5, 150) : between(this.random, leastMs, leastMs + 3)
  }

  open(limits: Limits, connections: number): Db {
    const pool = new Pool(connections, (onRelease) => new Client(this, limits, onRelease))
    const connect = (): Promise<PostgresPoolClient> => pool.connect() as Promise<unknown> as Promise<PostgresPoolClient>
    return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: { connect, end: async () => undefined, options: {} } }) })
  }

  /** Breaks every connection. `isSilent`: the server does not notice, and keeps open transactions for their limit. */
  reset(isSilent: boolean): void {
    for (const client of [...this.clients]) client.breakOff(isSilent)
  }
}

/** As in db/database.ts: work waits for a connection when all are taken. */
class Pool {
  #free: number
  readonly #open: (onRelease: () => void) => Client
  readonly #waiting: (() => void)[] = []

  constructor(connections: number, open: (onRelease: () => void) => Client) {
    this.#free = connections
    this.#open = open
  }

  async connect(): Promise<Client> {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    return this.#open(() => {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free += 1
    })
  }
}

class Client {
  readonly #link: Link
  readonly #limits: Limits
  readonly #onRelease: () => void
  readonly #session = new Session()
  #isBroken = false
  #failPending: () => void = () => undefined

  constructor(link: Link, limits: Limits, onRelease: () => void) {
    this.#link = link
    this.#limits = limits
    this.#onRelease = onRelease
    link.clients.add(this)
  }

  get #isCut(): boolean {
    const { isCut, urgentCutUntilMs, process } = this.#link
    return isCut || (this.#limits === URGENT && urgentCutUntilMs > process.world.nowMs)
  }

  release(): void {
    this.#link.clients.delete(this)
    this.#onRelease()
  }

  query(text: string, values: readonly unknown[] = []): Promise<unknown> {
    const context = running.getStore()
    if (!context) throw new Error('simulation: a statement outside every process')
    return new Promise((resolve, reject) => {
      const fail = (): void => reject(new DatabaseUnreachable(new Error('The connection broke')))
      // An event of the process: a stopped process does not notice yet, and a killed one never does.
      this.#failPending = () => void context.process.world.after(0, context, fail)
      if (this.#isBroken) fail()
      else this.#send({ text, values, isChecked: this.#link.hooks.isChecked(text) }, context, { resolve, reject })
    })
  }

  #send(sent: Sent, context: Context, { resolve, reject }: Settle): void {
    const link = this.#link
    const { world } = link.process
    const limit = world.after(this.#limits.statementMs + GRACE_MS, context, () => this.breakOff(this.#isCut))
    const onReply = (reply: Reply): void => {
      world.after(link.latencyMs(), context, () => {
        if (this.#isBroken || this.#isCut) return
        limit.isCancelled = true
        link.hooks.onAnswer(sent.text, reply, context)
        if ('error' in reply) reject(reply.error)
        else resolve(reply.result)
      })
    }
    world.after(link.latencyMs(), null, async () => {
      if (link.server.isParallel && !sent.isChecked) return world.inBackground(this.#arrive(sent, onReply), LOOKAHEAD_MS)
      await world.endBackground()
      await this.#arrive(sent, onReply)
    })
  }

  async #arrive(sent: Sent, onReply: (reply: Reply) => void, wasFrozen = false): Promise<void> {
    const { text, values, isChecked } = sent
    const link = this.#link
    const { process, server } = link
    if (!wasFrozen && (this.#isBroken || this.#isCut)) return
    // A statement that has reached a frozen server is executed later, also if the client has closed the connection since.
    const frozenMs = server.frozenUntilMs - process.world.nowMs
    if (frozenMs > 0) return void process.world.after(frozenMs, null, () => this.#arrive(sent, onReply, true))
    if (server.isFull(this.#session)) return void process.world.after(POOLER_RETRY_MS, null, () => this.#arrive(sent, onReply))
    const fate = link.onStatement()
    process.world.note(process.name, `${fate === 'nothing' ? '' : `dies ${fate}: `}${short(text)}`)
    if (fate === 'before') return link.onKill()
    const executed = await this.#execute({ text, values: PLAIN.has(text) ? null : values, at: process.world.wallClock() }, onReply)
    if (executed && isChecked) await link.hooks.onExecuted(text, executed)
    if (fate === 'after') link.onKill()
  }

  /** Null: the statement waits for a lock. */
  async #execute(statement: Statement, onReply: (reply: Reply) => void): Promise<Reply | null> {
    const { process, server } = this.#link
    let executed: Reply | null = null
    await server.execute(this.#session, statement, (reply) => {
      executed = reply
      onReply(reply)
    })
    const { blocked } = this.#session
    if (blocked) process.world.after(this.#limits.statementMs, null, () => server.cancel(this.#session, blocked))
    return executed
  }

  /** The client's end of the connection is gone. */
  breakOff(isSilent: boolean): void {
    if (this.#isBroken) return
    this.#isBroken = true
    this.#link.clients.delete(this)
    const { world } = this.#link.process
    const noticedMs = isSilent ? this.#limits.statementMs * IDLE_LIMITS : this.#link.latencyMs()
    const frozenMs = this.#link.server.frozenUntilMs - world.nowMs
    world.after(Math.max(noticedMs, frozenMs + 1), null, () => this.#link.server.end(this.#session))
    this.#failPending()
  }
}

const PLAIN: ReadonlySet<string> = new Set(['begin', 'commit', 'rollback'])

type Sent = { readonly text: string; readonly values: readonly unknown[]; readonly isChecked: boolean }
type Settle = { readonly resolve: (result: unknown) => void; readonly reject: (error: unknown) => void }

const shorts = new Map<string, string>()

function short(text: string): string {
  const known = shorts.get(text) ?? text.trim().replaceAll(/\s+/g, ' ').slice(0, 90)
  shorts.set(text, known)
  return known
}
