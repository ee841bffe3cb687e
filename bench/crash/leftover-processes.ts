// Tracks the processes that a service has started, and finds those that outlive it.
import { commandOf, treesOf } from '../harness/processes.ts'
import { holdsWithin } from './wait.ts'

const LOOK_EVERY_MS = 1_000
/** A worker leaves its meetings and closes its browser before it exits. */
const GONE_WITHIN_MS = 20_000

export class LeftoverProcesses {
  /** Process ids with their command lines, because an id may be reused. */
  readonly #seen = new Map<number, string>()
  readonly #roots: () => readonly number[]
  readonly #timer: NodeJS.Timeout

  constructor(roots: () => readonly number[]) {
    this.#roots = roots
    this.#timer = setInterval(() => this.look(), LOOK_EVERY_MS)
    this.#timer.unref()
  }

  look(): void {
    for (const pid of treesOf(this.#roots().filter((root) => root > 0))) {
      const command = commandOf(pid)
      if (command !== '') this.#seen.set(pid, command)
    }
  }

  /** Returns how many processes had to be killed. */
  async end(): Promise<number> {
    clearInterval(this.#timer)
    await holdsWithin(() => this.#alive().length === 0, GONE_WITHIN_MS)
    const left = this.#alive()
    for (const [pid, command] of left) {
      console.error(`left behind: ${pid} ${command.slice(0, 120)}`)
      endProcess(pid)
    }
    return left.length
  }

  #alive(): readonly (readonly [number, string])[] {
    return [...this.#seen].filter(([pid, command]) => commandOf(pid) === command)
  }
}

export function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has exited already.
  }
}
