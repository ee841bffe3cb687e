// One file that grows: bytes are taken at once and reach the disk in the background, so that a slow disk never holds up the meeting.
import { type FileHandle, open } from 'node:fs/promises'

/** What all files of a recording together may keep in memory while the disk is slow. */
export class MemoryBudget {
  readonly #limitBytes: number
  #usedBytes = 0

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  get usedBytes(): number {
    return this.#usedBytes
  }

  take(bytes: number): boolean {
    if (this.#usedBytes + bytes > this.#limitBytes) return false
    this.#usedBytes += bytes
    return true
  }

  give(bytes: number): void {
    this.#usedBytes -= bytes
  }
}

export class GrowingFile {
  readonly #path: string
  readonly #budget: MemoryBudget
  #pending: Uint8Array[] = []
  #writtenBytes: number
  #handle: FileHandle | null = null
  #work: Promise<void> = Promise.resolve()

  constructor(path: string, budget: MemoryBudget, writtenBytes = 0) {
    this.#path = path
    this.#budget = budget
    this.#writtenBytes = writtenBytes
  }

  /** False when memory is full: the bytes are then not part of the file. */
  append(bytes: Uint8Array): boolean {
    if (!this.#budget.take(bytes.byteLength)) return false
    this.#pending.push(bytes)
    return true
  }

  /** Resolves when all that was appended before is on the disk. Rejects when the disk refuses; a later call tries the same bytes again. */
  sync(): Promise<void> {
    const turn = this.#work.then(() => this.#write())
    this.#work = turn.catch(() => undefined) // The caller gets the error; the next call tries again.
    return turn
  }

  /** Rejects when the disk refuses; the file is then still open, and another call tries again. */
  async close(): Promise<void> {
    await this.sync()
    await this.#handle?.close()
    this.#handle = null
  }

  async #write(): Promise<void> {
    const count = this.#pending.length
    if (count === 0) return
    this.#handle ??= await open(this.#path, this.#writtenBytes === 0 ? 'wx' : 'r+', 0o600)
    const bytes = Buffer.concat(this.#pending.slice(0, count))
    // At a place of its own, so that a write which failed half way is simply done again.
    let done = 0
    while (done < bytes.length) done += (await this.#handle.write(bytes, done, bytes.length - done, this.#writtenBytes + done)).bytesWritten
    await this.#handle.datasync()
    this.#pending.splice(0, count)
    this.#writtenBytes += bytes.length
    this.#budget.give(bytes.length)
  }
}
