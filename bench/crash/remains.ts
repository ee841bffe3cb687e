// The processes that a service has started, so that none of them outlives it unseen.
import { commandOf, treesOf } from '../processes.ts'
import { cameTrue } from './waiting.ts'

const LOOK_EVERY_MS = 1_000
/** A host leaves its meetings, and its browser closes, before both end. */
const GONE_WITHIN_MS = 20_000

export class Remains {
  /** Process numbers with their command lines: a number that is used again is another process. */
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

  /** Says how many had to be ended. */
  async end(): Promise<number> {
    clearInterval(this.#timer)
    await cameTrue(() => this.#alive().length === 0, GONE_WITHIN_MS)
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

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended meanwhile.
  }
}
