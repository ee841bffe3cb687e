// Reports how long a step of the work after the call took, for metrics and traces.
import type { BotId } from '../../domain/bot.ts'
import type { TransitionDeps } from '../fleet/bot/transition.ts'
import type { StepEnded } from '../fleet/fleet-events.ts'

type StepDeps = Pick<TransitionDeps, 'observe'> & { readonly now: () => Date }

export async function timedStep<Result>(
  { observe, now }: StepDeps,
  botId: BotId,
  step: StepEnded['step'],
  work: () => Promise<Result>,
): Promise<Result> {
  const from = now()
  let isFailed = true
  try {
    const result = await work()
    isFailed = false
    return result
  } finally {
    observe?.({ kind: 'step', botId, step, from, to: now(), isFailed })
  }
}
