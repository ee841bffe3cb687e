// Streams the rows of a table out of the server and into it, by COPY in its text format. pg has the messages of COPY but no streams.
import { Readable, Writable } from 'node:stream'
import type pg from 'pg'

/** What pg's connection can do beyond its types. */
type Wire = pg.Connection & {
  query(text: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  sendCopyFail(why: string): void
}

/** The server sends a message for each row. Smaller batches cost more than the rows. */
const BATCH_BYTES = 64 * 1024

/** The answer to `copy … to stdout`. The connection is free again when the stream has ended, and closed if it is destroyed before. */
export function copyOut(client: pg.Client, statement: string): Readable {
  return client.query(new CopyOut(statement))
}

/** The input of `copy … from stdin`. It finishes when the server has stored all rows. */
export function copyIn(client: pg.Client, statement: string): Writable {
  return client.query(new CopyIn(statement))
}

class CopyOut extends Readable {
  readonly #statement: string
  #wire: Wire | undefined
  #rows: Buffer[] = []
  #bytes = 0

  constructor(statement: string) {
    super({ highWaterMark: 4 * BATCH_BYTES })
    this.#statement = statement
  }

  submit(connection: pg.Connection): void {
    this.#wire = connection as Wire
    this.#wire.query(this.#statement)
  }

  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    // The parser reuses the memory of the message.
    this.#rows.push(Buffer.from(chunk))
    this.#bytes += chunk.length
    if (this.#bytes >= BATCH_BYTES) this.#flush()
  }

  handleCommandComplete(): void {
    this.#flush()
  }

  handleReadyForQuery(): void {
    this.#release()
    this.push(null)
  }

  handleError(error: Error): void {
    this.#release()
    this.destroy(error)
  }

  /** The last batch may have paused the socket, whose next user is another statement. */
  #release(): void {
    this.#wire?.stream.resume()
    this.#wire = undefined
  }

  #flush(): void {
    const batch = Buffer.concat(this.#rows.splice(0))
    this.#bytes = 0
    if (batch.length > 0 && !this.push(batch)) this.#wire?.stream.pause()
  }

  override _read(): void {
    this.#wire?.stream.resume()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#wire?.stream.destroy()
    done(error)
  }
}

type Done = (error?: Error | null) => void

class CopyIn extends Writable {
  readonly #statement: string
  readonly #ready = Promise.withResolvers<Wire>()
  #isOver = false
  #finish: Done | undefined

  constructor(statement: string) {
    super()
    this.#statement = statement
    // A failure also destroys the stream, which reports it.
    this.#ready.promise.catch(() => undefined)
  }

  submit(connection: pg.Connection): void {
    const wire = connection as Wire
    wire.query(this.#statement)
  }

  handleCopyInResponse(connection: pg.Connection): void {
    this.#ready.resolve(connection as Wire)
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.#isOver = true
    this.#finish?.()
  }

  handleError(error: Error): void {
    this.#isOver = true
    this.#ready.reject(error)
    if (this.#finish) this.#finish(error)
    else this.destroy(error)
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
    this.#ready.promise.then((wire) => {
      wire.sendCopyFromChunk(chunk)
      if (!wire.stream.writableNeedDrain) return done()
      wire.stream.once('drain', () => done())
    }, done)
  }

  override _final(done: Done): void {
    this.#finish = done
    this.#ready.promise.then((wire) => wire.endCopyFrom(), done)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    // The server waits for the rest of the rows, or for the reason why none comes.
    if (!this.#isOver)
      this.#ready.promise.then(
        (wire) => wire.sendCopyFail(error?.message ?? 'cancelled'),
        () => undefined,
      )
    done(error)
  }
}
