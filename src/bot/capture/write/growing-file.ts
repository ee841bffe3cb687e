// A file that takes bytes at once and writes them in the background, so that a slow disk never delays the meeting.
import { type FileHandle, open } from 'node:fs/promises'
import { createSerialQueue } from '../../../kit/serial-queue.ts'

/** Limits the memory that all files of a recording use while the disk is slow. */
export class MemoryBudget {
  readonly #limitBytes: number
  #usedBytes = 0

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  get usedBytes(): number {
    return this.#usedBytes
  }

  reserve(bytes: number): boolean {
    if (this.#usedBytes + bytes > this.#limitBytes) return false
    this.#usedBytes += bytes
    return true
  }

  release(bytes: number): void {
    this.#usedBytes -= bytes
  }
}

export class GrowingFile {
  readonly #path: string
  readonly #budget: MemoryBudget
  #pending: Uint8Array[] = []
  #writtenBytes: number
  #handle: FileHandle | null = null
  readonly #serially = createSerialQueue()

  constructor(path: string, budget: MemoryBudget, writtenBytes = 0) {
    this.#path = path
    this.#budget = budget
    this.#writtenBytes = writtenBytes
  }

  /** False if the memory is full: the bytes are then not part of the file. */
  append(bytes: Uint8Array): boolean {
    if (!this.#budget.reserve(bytes.byteLength)) return false
    this.#pending.push(bytes)
    return true
  }

  /** Resolves when all bytes appended so far are on the disk. Rejects if a write fails; the next call writes the same bytes again. */
  sync(): Promise<void> {
    return this.#serially(() => this.#write())
  }

  /** Rejects if a write fails. The file is then still open, and another call retries. */
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
    // Writes at an explicit offset, so that a write that failed half way can be repeated.
    let done = 0
    while (done < bytes.length) done += (await this.#handle.write(bytes, done, bytes.length - done, this.#writtenBytes + done)).bytesWritten
    await this.#handle.datasync()
    this.#pending.splice(0, count)
    this.#writtenBytes += bytes.length
    this.#budget.release(bytes.length)
  }
}
