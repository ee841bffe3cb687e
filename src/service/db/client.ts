// One connection: every statement prepared, none without a limit, and dropped for good once it is broken.
import pg from 'pg'
import { endsConnection, fromDriver } from './unreachable.ts'

/** Ends a statement whose best plan depends on its values, so that it is planned with them every time. */
export const PLAN_ANEW = '/* plan anew */'

/** A server that is gone does not answer a goodbye. */
const CLOSE_WITHIN_MS = 1_000

/** The server's own limit comes first and keeps the connection; this one is for a server that is silent. */
const GRACE_MS = 500

/** A client whose statements end after `statementMs`, answered or not. */
export function limitedClient(statementMs: number): typeof pg.Client {
  const limitMs = statementMs + GRACE_MS

  return class LimitedClient extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      super(config)
      // The pool listens to idle connections only: one that breaks between two statements of a transaction would end the process.
      this.on('error', () => undefined)
    }

    // biome-ignore lint/suspicious/noExplicitAny: pg overloads `query` nine ways; Kysely uses one of them.
    override query(text: any, values?: any, ...rest: any[]): any {
      const plain = typeof text !== 'string' || !Array.isArray(values) || values.length === 0 || text.endsWith(PLAN_ANEW)
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
        if (!settled) this.connection.stream.destroy(new Error(`a statement had no answer within ${limitMs} ms`))
      }
      // A process that stood still may have the answer in its socket: that is read before the second turn.
      const timer = setTimeout(() => setImmediate(() => setImmediate(giveUp)), limitMs)
      try {
        return await answer
      } catch (error) {
        if (endsConnection(error)) await this.#drop()
        throw fromDriver(error)
      } finally {
        settled = true
        clearTimeout(timer)
      }
    }

    /** Before the statement's error reaches the caller: a broken connection must not go back to the pool. */
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

/** Kysely writes few distinct texts, so each is parsed and planned once a connection and then only bound. */
function statementName(text: string): string {
  let name = statementNames.get(text)
  if (!name) {
    name = `s${statementNames.size}`
    statementNames.set(text, name)
  }
  return name
}
