// Plays decoded audio: one queue per lane, mixed into one output. Runs in the browser's audio thread.

type Decoded = { readonly lane: number; readonly samples: Float32Array }

declare const registerProcessor: (name: string, processor: unknown) => void
declare class AudioWorkletProcessor {
  readonly port: MessagePort
}

const RATE = 48_000
/** Seconds to buffer before a lane starts to play, and the largest buffer. */
const START_SAMPLES = 0.06 * RATE
const MOST_SAMPLES = 0.5 * RATE

class Queue {
  #pieces: Float32Array[] = []
  #at = 0
  #length = 0
  #plays = false

  push(samples: Float32Array): void {
    this.#pieces.push(samples)
    this.#length += samples.length
    while (this.#length > MOST_SAMPLES) this.#drop()
    if (this.#length >= START_SAMPLES) this.#plays = true
  }

  mixInto(output: Float32Array): void {
    if (!this.#plays) return
    for (let index = 0; index < output.length; index++) output[index] = (output[index] ?? 0) + this.#next()
    if (this.#length === 0) this.#plays = false
  }

  #next(): number {
    const [piece] = this.#pieces
    if (!piece) return 0
    const sample = piece[this.#at++] ?? 0
    this.#length--
    if (this.#at === piece.length) {
      this.#pieces.shift()
      this.#at = 0
    }
    return sample
  }

  #drop(): void {
    const piece = this.#pieces.shift()
    this.#length -= (piece?.length ?? 0) - this.#at
    this.#at = 0
  }
}

registerProcessor(
  'meet-neteq-processor',
  class extends AudioWorkletProcessor {
    readonly #lanes = new Map<number, Queue>()

    constructor() {
      super()
      this.port.onmessage = ({ data: { lane, samples } }: MessageEvent<Decoded>) => {
        const queue = this.#lanes.get(lane) ?? new Queue()
        this.#lanes.set(lane, queue)
        queue.push(samples)
      }
    }

    process(_inputs: unknown, [[output]]: [[Float32Array]]): boolean {
      for (const queue of this.#lanes.values()) queue.mixInto(output)
      return true
    }
  },
)

export type { Decoded }
