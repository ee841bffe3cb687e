// Runs the Moonshine model: decodes audio into the most likely tokens, with their probabilities and attention.
import { readFile } from 'node:fs/promises'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { attentionOutput, withAttentionOutputs } from './attention-outputs.ts'
import { withByteConvolutions } from './convolutions.ts'
import { withByteLastLayer } from './last-layer.ts'
import { chooseToken, END, logProbabilityOf } from './token-choice.ts'

const BEGIN = 1
/** Fast speech has about four tokens a second. A decoder that produces more is repeating itself. */
const MOST_TOKENS_PER_SECOND = 6.5
const LEAST_TOKENS = 6
const SAMPLES_PER_SECOND = 16_000
const CACHE = /^past_key_values\./

type DecodedToken = {
  readonly token: number
  readonly logProbability: number
  /** One weight for each audio frame; the sum is one. */
  readonly attention: Float32Array
}

export type Decoded = {
  readonly tokens: readonly DecodedToken[]
  readonly frames: number
  /** The model's first choice was to end without any text. */
  readonly firstChoiceWasEnd: boolean
}

type Cache = Record<string, Tensor>

export class MoonshineDecoder {
  readonly #encoder: InferenceSession
  readonly #decoder: InferenceSession
  readonly #emptyCache: Readonly<Cache>
  readonly #layers: number

  private constructor(encoder: InferenceSession, decoder: InferenceSession) {
    this.#encoder = encoder
    this.#decoder = decoder
    this.#layers = decoder.outputNames.filter((name) => name.startsWith(attentionOutput(''))).length
    this.#emptyCache = Object.fromEntries(
      decoder.inputMetadata.filter(({ name }) => CACHE.test(name)).map((input) => [input.name, emptyTensor(input)]),
    )
  }

  static async load(files: { readonly encoder: string; readonly decoder: string }, threads: number): Promise<MoonshineDecoder> {
    // Memory patterns are cached per input shape, and shapes rarely repeat here.
    const options = { intraOpNumThreads: threads, interOpNumThreads: 1, executionProviders: ['cpu'], enableMemPattern: false }
    const encoder = await InferenceSession.create(withByteConvolutions(await readFile(files.encoder)), options)
    const decoder = await InferenceSession.create(withByteLastLayer(withAttentionOutputs(await readFile(files.decoder))), options)
    return new MoonshineDecoder(encoder, decoder)
  }

  /**
   * Null: `signal` aborted it. `before`: known first tokens, from a shorter part of the same audio. They are decoded in one step,
   * while each further token takes one step.
   */
  async decode(samples: Float32Array, signal: AbortSignal, before: readonly number[] = []): Promise<Decoded | null> {
    const encoded = await this.#encode(samples)
    const frames = encoded.dims[1] ?? 0
    const mostTokens = Math.max(LEAST_TOKENS, Math.ceil((samples.length / SAMPLES_PER_SECOND) * MOST_TOKENS_PER_SECOND))
    const tokens: DecodedToken[] = []
    let cache: Cache = this.#emptyCache
    let firstChoiceWasEnd = false
    let input: readonly number[] = [BEGIN, ...before]
    while (tokens.length < mostTokens) {
      if (signal.aborted) return null
      const step = await this.#step(encoded, cache, input)
      const decodedToken = (row: number, token: number): DecodedToken => {
        const logProbability = logProbabilityOf(step.rows[row] ?? NO_LOGITS, token)
        return { token, logProbability, attention: this.#attention(step.outputs, { frames, row, rows: input.length }) }
      }
      tokens.push(...input.slice(1).map((token, row) => decodedToken(row, token)))
      const choice = chooseToken(
        step.rows.at(-1) ?? NO_LOGITS,
        tokens.map(({ token }) => token),
      )
      if (choice.token === END) break
      firstChoiceWasEnd ||= choice.firstChoiceWasEnd
      tokens.push(decodedToken(input.length - 1, choice.token))
      cache = { ...cache, ...step.cache }
      input = [choice.token]
    }
    return { tokens, frames, firstChoiceWasEnd }
  }

  async #encode(samples: Float32Array): Promise<Tensor> {
    const outputs = await this.#encoder.run({ input_values: new Tensor('float32', samples, [1, samples.length]) })
    return tensorOf(outputs, this.#encoder.outputNames[0] ?? '')
  }

  /** The encoder part of the cache is made in the first step and stays. The decoder part grows with each token. */
  async #step(encoded: Tensor, cache: Cache, tokens: readonly number[]) {
    const isFirst = cache === this.#emptyCache
    const inputs = {
      input_ids: new Tensor('int64', BigInt64Array.from(tokens, BigInt), [1, tokens.length]),
      encoder_hidden_states: encoded,
      use_cache_branch: new Tensor('bool', [!isFirst], [1]),
      ...cache,
    }
    const wanted = this.#decoder.outputNames.filter((name) => isFirst || !name.includes('.encoder.'))
    const outputs = await this.#decoder.run(inputs, wanted)
    const grown: Cache = {}
    for (const name of wanted.filter((each) => each.startsWith('present.')))
      grown[name.replace('present', 'past_key_values')] = tensorOf(outputs, name)
    return { rows: rowsOf(floatsOf(tensorOf(outputs, 'logits')), tokens.length), outputs, cache: grown }
  }

  /** The mean attention of one token over all layers and heads. Each head has a row for each token of the step. */
  #attention(outputs: InferenceSession.OnnxValueMapType, { frames, row, rows }: Place): Float32Array {
    const mean = new Float32Array(frames)
    for (let layer = 0; layer < this.#layers; layer++) {
      const weights = floatsOf(tensorOf(outputs, attentionOutput(layer)))
      for (let head = row * frames; head < weights.length; head += rows * frames)
        for (let at = 0; at < frames; at++) mean[at] = (mean[at] ?? 0) + (weights[head + at] ?? 0)
    }
    const heads = mean.reduce((sum, weight) => sum + weight, 0)
    return mean.map((weight) => weight / heads)
  }
}

const NO_LOGITS = new Float32Array(0)

type Place = { readonly frames: number; readonly row: number; readonly rows: number }

/** The logits after each token of a step. */
function rowsOf(logits: Float32Array, rows: number): readonly Float32Array[] {
  const width = logits.length / rows
  return Array.from({ length: rows }, (_, row) => logits.subarray(row * width, (row + 1) * width))
}

/** An empty cache: the model's shape with zero for the open dimension. */
function emptyTensor(input: InferenceSession.ValueMetadata): Tensor {
  if (!input.isTensor) throw new Error(`The decoder's input ${input.name} is not a tensor.`)
  const [, heads, , width] = input.shape
  return new Tensor('float32', new Float32Array(0), [0, Number(heads), 1, Number(width)])
}

function tensorOf(outputs: InferenceSession.OnnxValueMapType, name: string): Tensor {
  const output = outputs[name]
  if (!(output instanceof Tensor)) throw new Error(`The model has no output ${name}.`)
  return output
}

function floatsOf({ data }: Tensor): Float32Array {
  if (!(data instanceof Float32Array)) throw new Error('The model answered with a type other than 32-bit floats.')
  return data
}
