// Writes the log lines of a worker to the service's log: with the worker's pid, redacted, and rate-limited.
import type { WorkerLog } from '../../../domain/protocol.ts'
import type { Logger } from '../../../kit/log.ts'
import { redacted } from '../../../kit/redact.ts'
import type { WorkerEvent } from './keeper.ts'

const MOST_LINES = 60
const PER_MS = 60_000
const LONGEST_TEXT = 2_000
const LONGEST_ID = 64

const LEVELS: ReadonlySet<string> = new Set(['info', 'warn', 'error'])

type Line = Omit<WorkerLog, 'kind'>

export class WorkerLogger {
  readonly #log: Logger
  readonly #pid: () => number | null
  readonly #now: () => number
  #sinceMs = Number.NEGATIVE_INFINITY
  #lines = 0

  constructor(log: Logger, pid: () => number | null, now: () => number = performance.now.bind(performance)) {
    this.#log = log
    this.#pid = pid
    this.#now = now
  }

  write({ level, botId, message, detail }: Line): void {
    // A compromised worker may send anything.
    if (!LEVELS.has(level) || this.#isTooMuch()) return
    this.#log[level](
      { workerPid: this.#pid(), ...(botId && { botId: String(botId).slice(0, LONGEST_ID) }), ...(detail && { detail: shortened(detail) }) },
      shortened(message),
    )
  }

  /** Uncaught exceptions arrive on stderr. */
  onEvent(event: WorkerEvent): void {
    if (event.kind === 'stderr')
      this.write({ level: 'warn', botId: null, message: 'a worker wrote to its stderr', detail: event.text.trim() })
    if (event.kind === 'problem')
      this.write({ level: 'error', botId: null, message: 'a worker could not be started or stopped', detail: event.message })
  }

  #isTooMuch(): boolean {
    const nowMs = this.#now()
    if (nowMs - this.#sinceMs > PER_MS) {
      this.#sinceMs = nowMs
      this.#lines = 0
    }
    this.#lines += 1
    if (this.#lines === MOST_LINES + 1)
      this.#log.warn({ workerPid: this.#pid(), perMinute: MOST_LINES }, 'a worker logs too much; the rest of this minute is left out')
    return this.#lines > MOST_LINES
  }
}

function shortened(text: unknown): string {
  return redacted(String(text).slice(0, LONGEST_TEXT))
}
