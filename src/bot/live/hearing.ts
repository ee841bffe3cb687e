// What the meeting sounds like, decoded once for everybody who listens: Opus packets of many sources in, frames of samples out.
import type { WireFrame } from '../capture/wire.ts'
import { Ear, type EarDeps } from './ear.ts'

type HearingOptions = {
  /** 960 samples, mono at 48 kHz; `atMs` is the time of the first one, on the clock that packets arrive by. */
  readonly onFrame: (source: string, pcm: Int16Array, atMs: number) => void
  readonly onProblem?: (message: string) => void
}

export type Hearing = {
  /** Packets of any order and quality; only Opus is listened to. */
  hear(source: string, frame: WireFrame, arrivedMs: number): void
  /** The source has ended. */
  forget(source: string): void
  /** `undecodable` packets became silence; those passed over were late or duplicates. */
  counts(): { readonly undecodable: number; readonly passedOver: number }
  end(): void
}

/** A decoder is large, and made in a few milliseconds: a source that was silent for so long gives it back. */
const IDLE_MS = 10_000
const LOOK_EVERY_MS = 1_000

export function createHearing({ onFrame, onProblem }: HearingOptions): Hearing {
  const ears = new Map<string, Ear>()
  let [undecodable, passedOver] = [0, 0]
  let isEnded = false
  let lookedMs = Number.NEGATIVE_INFINITY

  const depsOf = (source: string): EarDeps => ({
    onFrame: (pcm, atMs) => onFrame(source, pcm, atMs),
    onUndecodable: () => void undecodable++,
    onLate: () => void passedOver++,
    onProblem: (message) => onProblem?.(message),
  })
  const forget = (source: string): void => {
    ears.get(source)?.forget()
    ears.delete(source)
  }

  function forgetIdle(nowMs: number): void {
    if (nowMs - lookedMs < LOOK_EVERY_MS) return
    lookedMs = nowMs
    for (const [source, { lastPacketMs }] of ears) if (nowMs - lastPacketMs > IDLE_MS) forget(source)
  }

  return {
    hear(source, frame, arrivedMs) {
      if (isEnded || frame.kind !== 'audio' || frame.codec !== 'opus') return
      forgetIdle(arrivedMs)
      const ear = ears.get(source) ?? new Ear(depsOf(source))
      ears.set(source, ear)
      ear.take(frame, arrivedMs)
    },
    forget,
    counts: () => ({ undecodable, passedOver }),
    end() {
      isEnded = true
      for (const source of [...ears.keys()]) forget(source)
    },
  }
}
