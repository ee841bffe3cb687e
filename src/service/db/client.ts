// A PostgreSQL client that prepares every statement, limits its time, and closes the connection once it is broken.
import { createHash } from 'node:crypto'
import pg from 'pg'
import { asUnreachable, endsConnection, isReadOnly } from './unreachable.ts'

/** Suffix of a statement whose best plan depends on its values: it is not prepared, so it is planned each time. */
export const PLAN_ANEW = '/* plan anew */'

const readOnlySessions = new WeakSet<object>()

/** The session has refused a write. It may refuse writes for ever, while a new one reaches a server that accepts them. */
export function isReadOnlySession(client: object): boolean {
  return readOnlySessions.has(client)
}

/** A server that is gone does not answer the terminate message. */
const CLOSE_WITHIN_MS = 1_000

/** The server's own timeout fires first and keeps the connection. This one is for a server that is silent. */
const GRACE_MS = 500

export type ClientOptions = {
  readonly statementMs: number
  /** False behind a pooler that loses prepared statements: each statement is then parsed and planned anew. */
  readonly prepares: boolean
}

/** A client whose statements end after `statementMs`, answered or not. */
export function limitedClient({ statementMs, prepares }: ClientOptions): typeof pg.Client {
  const limitMs = statementMs + GRACE_MS

  return class LimitedClient extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      super(config)
      // The pool listens to idle connections only. Without this, one that breaks between two statements of a transaction ends the process.
      this.on('error', () => undefined)
    }

    // biome-ignore lint/suspicious/noExplicitAny: pg overloads `query` nine ways; Kysely uses one of them.
    override query(text: any, values?: any, ...rest: any[]): any {
      const plain = !prepares || typeof text !== 'string' || !Array.isArray(values) || values.length === 0 || text.endsWith(PLAN_ANEW)
      const answer = plain ? super.query(text, values, ...(rest as [])) : super.query({ name: statementName(text), text, values })
      return (answer as unknown) instanceof Promise ? this.#withinLimit(answer) : answer
    }

    override end(): Promise<void>
    override end(done: (error: Error) => void): void
    override end(done?: (error: Error) => void): Promise<void> | void {
      const timer = setTimeout(() => this.connection.stream.destroy(), CLOSE_WITHIN_MS).unref()
      this.once('end', () => clearTimeout(timer))
      return done ? super.end(done) : super.end()
    }

    async #withinLimit<Answer>(answer: Promise<Answer>): Promise<Answer> {
      let settled = false
      const giveUp = (): void => {
        if (!settled) this.connection.stream.destroy(new Error(`The statement had no answer within ${limitMs} ms`))
      }
      // After a pause of the process the answer may be in the socket: it is read before the second turn.
      const timer = setTimeout(() => setImmediate(() => setImmediate(giveUp)), limitMs)
      try {
        return await answer
      } catch (error) {
        if (endsConnection(error)) await this.#drop()
        if (isReadOnly(error)) readOnlySessions.add(this)
        throw asUnreachable(error)
      } finally {
        settled = true
        clearTimeout(timer)
      }
    }

    /** Runs before the error reaches the caller: a broken connection must not return to the pool. */
    async #drop(): Promise<void> {
      const { stream } = this.connection
      if (stream.closed) return
      const ended = new Promise<void>((resolve) => this.once('end', resolve))
      stream.destroy()
      await ended
    }
  }
}

const statementNames = new Map<string, string>()

/**
 * Kysely produces few distinct texts, so each connection parses and plans each text once. The name is a hash of the text: processes that share
 * server connections behind a pooler never give one name to two texts.
 */
function statementName(text: string): string {
  let name = statementNames.get(text)
  if (!name) {
    name = createHash('sha256').update(text).digest('base64url')
    statementNames.set(text, name)
  }
  return name
}
