// Turns the meeting's own captions into live words. A caption is repeated with more text until it is final. A pause hides its words.
import type { Caption } from '../../domain/meeting.ts'
import { publicErrorOf } from '../../kit/failure.ts'
import { spread, toUtterance } from '../../speech/utterances.ts'
import { NO_SPEAKER } from './audio-frame.ts'
import { type CaptionResult, CaptionUtterance } from './caption-utterance.ts'
import type { SpeakerResult } from './live-words.ts'

type CaptionsOptions = {
  /** Switches the meeting's captions on; rejects if that fails. */
  readonly begin: () => Promise<void>
  readonly onResult: (result: SpeakerResult) => void
  readonly onFailed: (message: string) => void
  /** Start of the recording, in milliseconds since 1970. */
  readonly zeroMs: () => number
  /** The clock of captions. */
  readonly now: () => number
}

export type Captions = ReturnType<typeof startCaptions>

/** A caption may lag its speech by this much, so one this soon after a pause may belong to it. */
const LATE_MS = 2_000
/** A caption that has not changed for this long is final, though the platform does not say so. */
const STALE_MS = 60_000
/** A caption that comes again after this many others is a new one. */
const MOST_KNOWN = 1_000

export function startCaptions({ begin, onResult, onFailed, zeroMs, now }: CaptionsOptions) {
  const known = new Map<string, CaptionUtterance>()
  let isPaused = false
  let hiddenUntilMs = Number.NEGATIVE_INFINITY
  const otherwise = { code: 'captions_failed', message: 'the page of the meeting did not respond as expected' }
  begin().catch((error: unknown) => onFailed(`The captions could not be switched on: ${publicErrorOf(error, otherwise).message}`))

  function deliver(result: CaptionResult | null): void {
    if (!result) return
    const { text, fromMs, toMs, ...rest } = result
    const seconds = (ms: number) => Math.max(0, (ms - zeroMs()) / 1000)
    const utterance = toUtterance(spread(text, seconds(fromMs), seconds(toMs)), text)
    if (utterance) onResult({ ...utterance, ...rest })
  }

  function find({ id, from, name, at }: Caption): CaptionUtterance {
    const found = known.get(id) ?? new CaptionUtterance(from === '' ? NO_SPEAKER : { id: from, name }, at)
    // Keeps the map in order of the last change.
    known.delete(id)
    known.set(id, found)
    return found
  }

  function closeStale(nowMs: number): void {
    for (const [id, it] of known) {
      if (nowMs - it.seenMs <= STALE_MS && known.size <= MOST_KNOWN) return
      deliver(it.close())
      if (known.size > MOST_KNOWN) known.delete(id)
    }
  }

  function settleAll(): void {
    isPaused = true
    for (const it of known.values()) deliver(it.settle())
  }

  return {
    onCaption(caption: Caption): void {
      const it = find(caption)
      if (isPaused || caption.at < hiddenUntilMs) it.skip(caption)
      else deliver(it.update(caption))
      closeStale(caption.at)
    },
    pause: settleAll,
    resume(): void {
      if (isPaused) hiddenUntilMs = now() + LATE_MS
      isPaused = false
    },
    /** Makes all open captions final. */
    end: async () => settleAll(),
  }
}
