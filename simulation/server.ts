// The real PostgreSQL as simulated nodes reach it: one statement at a time, with `now()` of the virtual clock and the real locks.
import type pg from 'pg'
import { PLAN_ANEW } from '../src/service/db/client.ts'
import { type ConnectOptions, connect, inOrder, pidOf } from './server-client.ts'
import { realDelay } from './virtual-time.ts'

export type Rewrite = (text: string) => string

export type ServerOptions = ConnectOptions & {
  /** Changes the statements, to plant a bug. */
  readonly rewrite?: Rewrite | undefined
}

export type Reply = { readonly result: pg.QueryResult } | { readonly error: unknown }

/** The server's side of a simulated connection. It takes a real connection for each statement, and keeps it for a whole transaction. */
export class Session {
  client: pg.Client | null = null
  /** When the open transaction began; null: there is none. */
  beganAt: Date | null = null
  /** The statement that waits for a lock. */
  blocked: Blocked | null = null
}

type Blocked = {
  readonly outcome: Promise<Reply>
  readonly onReply: (reply: Reply) => void
  /** Null: not answered yet, as far as this process knows. */
  reply: Reply | null
}

/** Real connections of a large world. */
const MOST_CONNECTIONS = 800

/** A statement that takes longer may wait for a lock. */
const ASK_AFTER_MS = 5
const WAITING = 'select pid from unnest($1::int[]) as pid where cardinality(pg_blocking_pids(pid)) > 0'

export class Server {
  readonly #options: ServerOptions
  /** Statements of a large world are executed side by side. */
  readonly isParallel: boolean
  readonly #control: pg.Client
  readonly #idle: pg.Client[] = []
  /** Sessions with a real connection. */
  readonly #busy = new Set<Session>()
  readonly #blocked = new Set<Session>()
  readonly #names = new Map<string, { readonly name: string; readonly text: string; readonly takesNow: boolean }>()
  #asked: Promise<unknown> = Promise.resolve()
  #lockQuestion: { readonly pids: number[]; readonly answer: Promise<ReadonlySet<number>> } | null = null
  statements = 0
  /** True: a planted bug has changed a statement. */
  hasRewritten = false
  #opened = 0
  /** Executes nothing until then, on the clock of the world. */
  frozenUntilMs = 0

  private constructor(options: ServerOptions, control: pg.Client) {
    this.#options = options
    this.isParallel = options.isLarge
    this.#control = control
  }

  static async open(options: ServerOptions): Promise<Server> {
    return new Server(options, await connect(options))
  }

  async close(): Promise<void> {
    await Promise.all([this.#control, ...this.#idle].map((client) => client.end()))
  }

  /** Deletes all rows of earlier runs. */
  async empty(): Promise<void> {
    this.statements = 0
    this.frozenUntilMs = 0
    await this.#control.query(
      'truncate bots, events, deliveries, delivery_attempts, absences, bot_terms, credit_entries, nodes restart identity cascade',
    )
  }

  /** The work of autovacuum, which is off. */
  async tidy(): Promise<void> {
    if (this.#options.isLarge) await this.#control.query('vacuum (analyze) bots, events, deliveries, delivery_attempts, nodes')
  }

  /** Rolls back what a run left open. */
  async endAll(): Promise<void> {
    for (const session of [...this.#busy]) await this.end(session)
  }

  /** A statement of a check, outside every simulated process. */
  async ask<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    // One after the other: statements of a large world ask side by side.
    const answer = this.#asked.then(() => this.#control.query<Row>(text, [...values]))
    this.#asked = answer.catch(() => undefined)
    return (await answer).rows
  }

  /** No real connection is free for this session. */
  isFull({ client }: Session): boolean {
    return this.isParallel && !client && this.#idle.length === 0 && this.#opened >= MOST_CONNECTIONS
  }

  /** Resolves when the statement has been answered, or waits for a lock of another session. `onReply` is called once, perhaps much later. */
  async execute(session: Session, statement: Statement, onReply: (reply: Reply) => void): Promise<void> {
    this.statements += 1
    session.client ??= this.#idle.pop() ?? (await this.#open())
    this.#busy.add(session)
    if (statement.text === 'begin') session.beganAt = statement.at
    const outcome = this.#send(session.client, session.beganAt ?? statement.at, statement)
    await this.#await(session, { outcome, onReply, reply: null })
    if (statement.text === 'commit' || statement.text === 'rollback') session.beganAt = null
    this.#giveBack(session)
    // Nothing within a transaction releases a lock.
    if (session.beganAt === null) await this.#awaitUnblocked()
  }

  /** The client is gone: cancels its statement and rolls its transaction back. */
  async end(session: Session): Promise<void> {
    if (session.blocked) await this.cancel(session, session.blocked)
    if (session.client && session.beganAt) await session.client.query('rollback')
    session.beganAt = null
    this.#giveBack(session)
    await this.#awaitUnblocked()
  }

  /** Ends the statement that waits for a lock, as `statement_timeout` does. */
  async cancel(session: Session, blocked: Blocked): Promise<void> {
    if (session.blocked !== blocked || !session.client) return
    await this.ask('select pg_cancel_backend($1)', [pidOf(session.client)])
    const reply = await blocked.outcome
    this.#unblock(session)
    blocked.onReply(reply)
    this.#giveBack(session)
    await this.#awaitUnblocked()
  }

  #open(): Promise<pg.Client> {
    this.#opened += 1
    return connect(this.#options)
  }

  #send(client: pg.Client, now: Date, { text, values }: Statement): Promise<Reply> {
    const result = values === null ? client.query(text) : this.#sendPrepared(client, now, text, values)
    return result.then(
      (answer) => ({ result: inOrder(answer) }),
      (error: unknown) => ({ error }),
    )
  }

  #sendPrepared(client: pg.Client, now: Date, given: string, values: readonly unknown[]): Promise<pg.QueryResult> {
    let prepared = this.#names.get(given)
    if (!prepared) {
      const text = this.#options.rewrite?.(given) ?? given
      if (text !== given) this.hasRewritten = true
      const timed = text.replaceAll(/\bnow\(\)/g, `$${values.length + 1}::timestamptz`)
      prepared = { name: `s${this.#names.size}`, text: timed, takesNow: timed !== text }
      this.#names.set(given, prepared)
    }
    const { name, text, takesNow } = prepared
    const timed = takesNow ? [...values, now] : [...values]
    return this.#options.isLarge && given.endsWith(PLAN_ANEW) ? client.query(text, timed) : client.query({ name, text, values: timed })
  }

  async #await(session: Session, waiting: Blocked): Promise<void> {
    const reply = await this.#settled(session, waiting.outcome)
    if (reply) {
      this.#unblock(session)
      waiting.onReply(reply)
    } else {
      session.blocked = waiting
      this.#blocked.add(session)
      void waiting.outcome.then((late) => {
        waiting.reply = late
      })
    }
  }

  /** Null: it waits for a lock. Only one statement runs at a time, so it either ends or waits for a lock: the outcome depends on no real time. */
  async #settled({ client }: Session, outcome: Promise<Reply>): Promise<Reply | null> {
    for (;;) {
      const reply = await Promise.race([outcome, realDelay(ASK_AFTER_MS)])
      if (reply !== 'late') return reply
      if (client && (await this.#waitsForLock(pidOf(client)))) return null
    }
  }

  /** Statements of a large world ask side by side: those that ask while a question is on its way share the next one. */
  #waitsForLock(pid: number): Promise<boolean> {
    this.#lockQuestion ??= {
      pids: [],
      answer: this.#asked.then(async () => {
        const pids = this.#lockQuestion?.pids ?? []
        this.#lockQuestion = null
        const rows = await this.#control.query<{ pid: number }>(WAITING, [pids])
        return new Set(rows.rows.map((row) => row.pid))
      }),
    }
    this.#lockQuestion.pids.push(pid)
    const { answer } = this.#lockQuestion
    this.#asked = answer.catch(() => undefined)
    return answer.then((waiting) => waiting.has(pid))
  }

  /**
   * The end of a transaction may have released what others wait for. Several may go on at once, and which of them ends first is chance: their
   * replies are sent in the order in which they began to wait.
   */
  async #awaitUnblocked(): Promise<void> {
    const replies = new Map<Session, Reply>()
    while (await this.#findUnblocked(replies));
    for (const session of [...this.#blocked]) {
      const { blocked } = session
      const reply = replies.get(session)
      if (!blocked || !reply) continue
      this.#unblock(session)
      blocked.onReply(reply)
      this.#giveBack(session)
    }
  }

  /** Adds the replies of statements that wait no longer. False: there was none. */
  async #findUnblocked(replies: Map<Session, Reply>): Promise<boolean> {
    const before = replies.size
    for (const session of this.#blocked) {
      const { blocked } = session
      if (!blocked || replies.has(session)) continue
      // In a large world a late reply is noticed late: to ask for each blocked statement after each other statement would take hours.
      const reply = this.#options.isLarge ? blocked.reply : await this.#settled(session, blocked.outcome)
      if (reply) replies.set(session, reply)
    }
    return replies.size > before
  }

  #unblock(session: Session): void {
    session.blocked = null
    this.#blocked.delete(session)
  }

  #giveBack(session: Session): void {
    if (!session.client || session.beganAt || session.blocked) return
    this.#idle.push(session.client)
    session.client = null
    this.#busy.delete(session)
  }
}

/** `values`: null for a statement that is not prepared, such as `commit`. */
export type Statement = { readonly text: string; readonly values: readonly unknown[] | null; readonly at: Date }
