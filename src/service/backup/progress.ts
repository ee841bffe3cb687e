// Counts what a command has copied, for its messages.
import { counted } from '../../domain/counted.ts'

export type Say = (sentence: string) => void

export class Progress {
  readonly #since = performance.now()
  #count = 0
  #bytes = 0

  add(count: number, bytes = 0): void {
    this.#count += count
    this.#bytes += bytes
  }

  rows(tables: number): string {
    const seconds = this.#seconds()
    return `${counted(this.#count, 'row')} of ${counted(tables, 'table')} in ${seconds.toFixed(1)} s (${Math.round(this.#count / seconds)} a second)`
  }

  objects(): string {
    const [seconds, megabytes] = [this.#seconds(), this.#bytes / 1e6]
    return `${counted(this.#count, 'object')}, ${megabytes.toFixed(1)} MB, in ${seconds.toFixed(1)} s (${(megabytes / seconds).toFixed(1)} MB a second)`
  }

  #seconds(): number {
    return Math.max(0.001, (performance.now() - this.#since) / 1000)
  }
}
