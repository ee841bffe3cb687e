// How likely somebody speaks, for every 32 ms of a sound: the Silero network, one for all sounds, and what it remembers of each.
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { SAMPLES_PER_SECOND } from './engine.ts'

export const WINDOW_SAMPLES = 512
export const WINDOW_SECONDS = WINDOW_SAMPLES / SAMPLES_PER_SECOND
/** The network wants to see the end of the window before. */
const OVERLAP_SAMPLES = 64
const MEMORY_SHAPE: readonly number[] = [2, 1, 128]
/** -60 dB. Nobody can be understood below it, and most of what a muted meeting sends is. */
const INAUDIBLE = 0.001

export class VoiceActivity {
  readonly #network: InferenceSession
  readonly #rate = new Tensor('int64', BigInt64Array.of(BigInt(SAMPLES_PER_SECOND)), [1])

  private constructor(network: InferenceSession) {
    this.#network = network
  }

  static async load(file: string): Promise<VoiceActivity> {
    return new VoiceActivity(
      await InferenceSession.create(file, { intraOpNumThreads: 1, interOpNumThreads: 1, executionProviders: ['cpu'] }),
    )
  }

  /** For one sound, whose windows must come in order. */
  listener(): (window: Float32Array) => Promise<number> {
    let memory = noMemory()
    let overlap = new Float32Array(OVERLAP_SAMPLES)
    return async (window) => {
      const input = new Float32Array(OVERLAP_SAMPLES + WINDOW_SAMPLES)
      input.set(overlap)
      input.set(window, OVERLAP_SAMPLES)
      overlap = input.slice(-OVERLAP_SAMPLES)
      if (window.every((sample) => Math.abs(sample) < INAUDIBLE)) {
        memory = noMemory()
        return 0
      }
      const outputs = await this.#network.run({ input: new Tensor('float32', input, [1, input.length]), state: memory, sr: this.#rate })
      const { output, stateN } = outputs
      if (!(output instanceof Tensor && stateN instanceof Tensor)) throw new Error('The voice activity network gave no answer.')
      memory = stateN
      return Number(output.data[0])
    }
  }
}

function noMemory(): Tensor {
  return new Tensor('float32', new Float32Array(MEMORY_SHAPE.reduce((product, size) => product * size, 1)), MEMORY_SHAPE)
}
