// What goes wrong with the media of one bot: each problem is logged once, and evidence says once for each step that something is missing.
import type { Told } from '../kit/failure.ts'

/** A page that fails for one participant often fails for all. */
const MOST_PROBLEMS = 10

/** The problem itself is in the words of the browser or of a decoder: those are for the log. */
const EVIDENCE = {
  capture: { code: 'capture_failed', message: 'A part of the meeting could not be recorded' },
  'live audio': { code: 'live_audio_failed', message: 'The sound of a participant could not be decoded for live listeners' },
} as const satisfies Record<string, Told>

type Step = keyof typeof EVIDENCE

export type ProblemTools = {
  readonly log: (message: string, detail: string) => void
  /** Keeps it as evidence. Null while the bot has no page. */
  readonly failed: () => ((step: string, message: string, code: string) => Promise<void>) | null
}

export type OnProblem = (step: Step, problem: string) => void

export function collectProblems({ log, failed }: ProblemTools): OnProblem {
  const known = new Set<string>()
  const kept = new Set<Step>()
  return (step, problem) => {
    const line = `${step}: ${problem}`
    if (known.has(line) || known.size >= MOST_PROBLEMS) return
    known.add(line)
    log('media of a meeting is lost', line)
    const keep = kept.has(step) ? null : failed()
    if (!keep) return
    kept.add(step)
    void keep(step, EVIDENCE[step].message, EVIDENCE[step].code)
  }
}
