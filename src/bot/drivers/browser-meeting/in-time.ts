// How long a page may take to answer, and how an action ends that fails.
import { setTimeout as delay } from 'node:timers/promises'
import { Failure } from '../../../kit/failure.ts'

/** A hanging page times out: the next look comes soon. Its promises may never settle, and other actions wait meanwhile. */
const ANSWER_WITHIN_MS = 5_000
/** Rejects if the page does not answer in time. */
export function inTime<Answer>(answer: Promise<Answer>): Promise<Answer> {
  const late = delay(ANSWER_WITHIN_MS, undefined, { ref: false }).then((): never => {
    throw new Failure('page_silent', 'The page did not answer')
  })
  return Promise.race([answer, late])
}

/** Null where the page does not answer, as during a navigation. */
export function answerOf<Answer>(answer: Promise<Answer>): Promise<Answer | null> {
  return inTime(answer).catch(() => null)
}

/** A failed action shows in the next look. */
export function succeeds(action: Promise<unknown>): Promise<boolean> {
  return action.then(
    () => true,
    () => false,
  )
}
