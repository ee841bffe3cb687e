// Voice activity detection with the Silero network: a voice probability for every 32 ms, with separate state for each stream.
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { SAMPLES_PER_SECOND } from './engine.ts'

export const WINDOW_SAMPLES = 512
export const WINDOW_SECONDS = WINDOW_SAMPLES / SAMPLES_PER_SECOND
/** The network's input starts with the end of the previous window. */
const OVERLAP_SAMPLES = 64
const STATE_SHAPE: readonly number[] = [2, 1, 128]
/** -60 dB. Quieter audio, such as that of muted participants, skips the network. */
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

  /** A detector for one stream, whose windows must come in order. */
  detector(): (window: Float32Array) => Promise<number> {
    let state = emptyState()
    let overlap = new Float32Array(OVERLAP_SAMPLES)
    return async (window) => {
      const input = new Float32Array(OVERLAP_SAMPLES + WINDOW_SAMPLES)
      input.set(overlap)
      input.set(window, OVERLAP_SAMPLES)
      overlap = input.slice(-OVERLAP_SAMPLES)
      if (window.every((sample) => Math.abs(sample) < INAUDIBLE)) {
        state = emptyState()
        return 0
      }
      const outputs = await this.#network.run({ input: new Tensor('float32', input, [1, input.length]), state, sr: this.#rate })
      const { output, stateN } = outputs
      if (!(output instanceof Tensor && stateN instanceof Tensor))
        throw new Error('The voice activity network has no output: the model file is not Silero VAD.')
      state = stateN
      return Number(output.data[0])
    }
  }
}

function emptyState(): Tensor {
  return new Tensor('float32', new Float32Array(STATE_SHAPE.reduce((product, size) => product * size, 1)), STATE_SHAPE)
}
