// Counts the rows of a table and hashes them, in any order: two servers with other collations and row order give equal digests.
import { hash } from 'node:crypto'

export type Digest = { readonly rows: number; readonly hash: string }

/** Ends a row of COPY's text format, in which a line break of a value is escaped. */
const NEW_LINE = 0x0a
/** A SHA-256 as whole numbers of four bytes. */
const LANES = 8

/** The hash is the sum of the SHA-256 of all rows, each four bytes of them apart. */
export class RowDigest {
  readonly #sum = new Uint32Array(LANES)
  #rows = 0
  /** The beginning of a row that continues in the next chunk. */
  #begun: Buffer = Buffer.alloc(0)

  /** Chunks may end anywhere in a row. */
  add(chunk: Buffer): void {
    const all = this.#begun.length > 0 ? Buffer.concat([this.#begun, chunk]) : chunk
    let from = 0
    for (let end = all.indexOf(NEW_LINE); end >= 0; end = all.indexOf(NEW_LINE, from)) {
      this.#addRow(all.subarray(from, end))
      from = end + 1
    }
    this.#begun = Buffer.from(all.subarray(from))
  }

  result(): Digest {
    if (this.#begun.length > 0) throw new Error('The last row is cut off')
    return { rows: this.#rows, hash: Buffer.from(this.#sum.buffer).toString('hex') }
  }

  #addRow(row: Buffer): void {
    const digest = hash('sha256', row, 'buffer')
    for (let lane = 0; lane < LANES; lane += 1) this.#sum[lane] = (this.#sum[lane] ?? 0) + digest.readUInt32LE(lane * 4)
    this.#rows += 1
  }
}

/** A step of a pipeline that adds what passes to the digest. */
export function through(digest: RowDigest) {
  return async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      digest.add(chunk)
      yield chunk
    }
  }
}
