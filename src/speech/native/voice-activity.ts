// Voice activity detection with the Silero network: a voice probability for every 32 ms, with separate state for each stream.
import { readFile } from 'node:fs/promises'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { SAMPLES_PER_SECOND } from './samples.ts'
import { PART_SAMPLES, PARTS, UNITS, withWindows } from './voice-network.ts'

export const WINDOW_SAMPLES = 512
export const WINDOW_SECONDS = WINDOW_SAMPLES / SAMPLES_PER_SECOND
/** The network's input starts with the end of the previous window. */
const OVERLAP_SAMPLES = 64
const INPUT_SAMPLES = PARTS * PART_SAMPLES
/** -60 dB. Quieter audio, such as that of muted participants, skips the network. */
const INAUDIBLE = 0.001
/** Two seconds in one run take a ninth of the time of one by one. More take no less. */
const MOST_AT_ONCE = 64

/** The probability of a voice in each of these windows, which follow those of the call before. */
export type Detector = (windows: readonly Float32Array[]) => Promise<readonly number[]>

type State = { readonly memory: Tensor; readonly cell: Tensor }

export class VoiceActivity {
  readonly #network: InferenceSession

  private constructor(network: InferenceSession) {
    this.#network = network
  }

  static async load(file: string): Promise<VoiceActivity> {
    const options = { intraOpNumThreads: 1, interOpNumThreads: 1, executionProviders: ['cpu'] }
    return new VoiceActivity(await InferenceSession.create(withWindows(await readFile(file)), options))
  }

  /** A detector for one stream. Calls must not overlap. */
  detector(): Detector {
    let state = emptyState()
    let before: Float32Array = new Float32Array(WINDOW_SAMPLES)
    return async (windows) => {
      const probabilities: number[] = []
      for (const run of audibleRuns(windows)) {
        const last = run.windows.at(-1) ?? before
        if (run.isAudible) {
          const rated = await this.#rate(inputOf(before, run.windows), state)
          state = rated.state
          probabilities.push(...rated.probabilities)
        } else {
          state = emptyState()
          probabilities.push(...run.windows.map(() => 0))
        }
        before = last
      }
      return probabilities
    }
  }

  async #rate(samples: Float32Array, state: State): Promise<{ readonly probabilities: Float32Array; readonly state: State }> {
    const windows = new Tensor('float32', samples, [samples.length / INPUT_SAMPLES, PARTS, PART_SAMPLES])
    const { voice, 'memory.after': memory, 'cell.after': cell } = await this.#network.run({ windows, ...state })
    if (!(voice?.data instanceof Float32Array && memory instanceof Tensor && cell instanceof Tensor))
      throw new Error('The voice activity network has no output.')
    return { probabilities: voice.data, state: { memory, cell } }
  }
}

type AudibleRun = { readonly isAudible: boolean; readonly windows: readonly Float32Array[] }

function audibleRuns(windows: readonly Float32Array[]): readonly AudibleRun[] {
  const runs: { isAudible: boolean; windows: Float32Array[] }[] = []
  for (const window of windows) {
    const isAudible = window.some((sample) => Math.abs(sample) >= INAUDIBLE)
    const run = runs.at(-1)
    if (run?.isAudible === isAudible && run.windows.length < MOST_AT_ONCE) run.windows.push(window)
    else runs.push({ isAudible, windows: [window] })
  }
  return runs
}

/** Each window with the end of the one before it, and with its own end reflected, which completes its last spectrum. */
function inputOf(before: Float32Array, windows: readonly Float32Array[]): Float32Array {
  const input = new Float32Array(windows.length * INPUT_SAMPLES)
  for (const [at, window] of windows.entries()) {
    const from = at * INPUT_SAMPLES
    input.set((windows[at - 1] ?? before).subarray(-OVERLAP_SAMPLES), from)
    input.set(window, from + OVERLAP_SAMPLES)
    const end = from + OVERLAP_SAMPLES + WINDOW_SAMPLES
    for (let place = end; place < from + INPUT_SAMPLES; place++) input[place] = input[2 * end - 2 - place] ?? 0
  }
  return input
}

function emptyState(): State {
  const zeros = (): Tensor => new Tensor('float32', new Float32Array(UNITS), [1, 1, UNITS])
  return { memory: zeros(), cell: zeros() }
}
