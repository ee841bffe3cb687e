// Decodes the Opus packets of all sources once, for every live consumer.
import type { WireFrame } from '../capture/wire.ts'
import { SourceDecoder, type SourceDecoderDeps } from './source-decoder.ts'

type AudioDecodersOptions = {
  /** 960 samples, mono at 48 kHz. `atMs` is the time of the first, on the clock of `arrivedMs`. */
  readonly onFrame: (source: string, pcm: Int16Array, atMs: number) => void
  readonly onProblem?: (message: string) => void
}

export type AudioDecoders = ReturnType<typeof createAudioDecoders>

/** A decoder is large and loads within milliseconds, so a source that is silent for this long frees it. */
const IDLE_MS = 10_000
const CHECK_EVERY_MS = 1_000

export function createAudioDecoders({ onFrame, onProblem }: AudioDecodersOptions) {
  const decoders = new Map<string, SourceDecoder>()
  let [undecodable, discarded] = [0, 0]
  let isEnded = false
  let checkedMs = Number.NEGATIVE_INFINITY

  const depsOf = (source: string): SourceDecoderDeps => ({
    onFrame: (pcm, atMs) => onFrame(source, pcm, atMs),
    onUndecodable: () => void undecodable++,
    onLate: () => void discarded++,
    onProblem: (message) => onProblem?.(message),
  })
  const remove = (source: string): void => {
    decoders.get(source)?.close()
    decoders.delete(source)
  }

  function removeIdle(nowMs: number): void {
    if (nowMs - checkedMs < CHECK_EVERY_MS) return
    checkedMs = nowMs
    for (const [source, { lastPacketMs }] of decoders) if (nowMs - lastPacketMs > IDLE_MS) remove(source)
  }

  return {
    /** Accepts packets in any order and condition. Frames that are not Opus are ignored. */
    push(source: string, frame: WireFrame, arrivedMs: number): void {
      if (isEnded || frame.kind !== 'audio' || frame.codec !== 'opus') return
      removeIdle(arrivedMs)
      const decoder = decoders.get(source) ?? new SourceDecoder(depsOf(source))
      decoders.set(source, decoder)
      decoder.push(frame, arrivedMs)
    },
    /** The source has ended. */
    remove,
    /** `undecodable` packets became silence; `discarded` ones were late or duplicates. */
    counts: () => ({ undecodable, discarded }),
    end(): void {
      isEnded = true
      for (const source of [...decoders.keys()]) remove(source)
    },
  }
}
