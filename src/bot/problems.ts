// What goes wrong with the media of one bot: each problem is logged and kept as evidence once, and no more of them than say something new.

/** A page that fails for one participant often fails for all. */
const MOST_PROBLEMS = 10

export type ProblemTools = {
  readonly log: (message: string, detail: string) => void
  /** Keeps it as evidence. Null while the bot has no page. */
  readonly failed: () => ((step: string, message: string) => Promise<void>) | null
}

export type OnProblem = (step: string, message: string) => void

export function collectProblems({ log, failed }: ProblemTools): OnProblem {
  const known = new Set<string>()
  return (step, message) => {
    const problem = `${step}: ${message}`
    if (known.has(problem) || known.size >= MOST_PROBLEMS) return
    known.add(problem)
    log('media of a meeting is lost', problem)
    void failed()?.(step, message)
  }
}
