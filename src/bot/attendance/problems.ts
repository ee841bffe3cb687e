// Errors of one bot, for its callers and for the log: of its steps, and of its media, which are logged once each.
import { Failure, firstLine, type PublicError, publicErrorOf } from '../../kit/failure.ts'

/** Turns an error into a message and a code for callers. The text of a library's error goes to the log. */
export type Explain = (error: unknown, otherwise: PublicError) => PublicError

export function createExplain(log: (message: string, detail: string) => void): Explain {
  return (error, otherwise) => {
    if (!(error instanceof Failure)) log('a step of a bot failed', `${otherwise.code}: ${firstLine(error)}`)
    return publicErrorOf(error, otherwise)
  }
}

/** A page that fails for one participant often fails for all. */
const MOST_PROBLEMS = 10

/** Messages for callers. The text of the browser or the decoder is for the log. */
const EVIDENCE = {
  capture: { code: 'capture_failed', message: 'A part of the meeting could not be recorded' },
  'live audio': { code: 'live_audio_failed', message: 'The audio of a participant could not be decoded for live audio' },
} as const satisfies Record<string, PublicError>

type Step = keyof typeof EVIDENCE

type ProblemTools = {
  readonly log: (message: string, detail: string) => void
  /** Reports a failure with evidence. Null before the bot has a page. */
  readonly failed: () => ((step: string, message: string, code: string) => Promise<void>) | null
}

export type OnProblem = (step: Step, problem: string) => void

/** Logs each media problem once, and reports one failure per step. */
export function collectProblems({ log, failed }: ProblemTools): OnProblem {
  const known = new Set<string>()
  const reported = new Set<Step>()
  return (step, problem) => {
    const line = `${step}: ${problem}`
    if (known.has(line) || known.size >= MOST_PROBLEMS) return
    known.add(line)
    log('media of a meeting is lost', line)
    const fail = reported.has(step) ? null : failed()
    if (!fail) return
    reported.add(step)
    void fail(step, EVIDENCE[step].message, EVIDENCE[step].code)
  }
}
