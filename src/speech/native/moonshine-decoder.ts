// Runs the Moonshine model: decodes audio into the most likely tokens, with their probabilities and attention.
import { readFile } from 'node:fs/promises'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { attentionOutput, withAttentionOutputs } from './attention-outputs.ts'
import { withByteConvolutions } from './convolutions.ts'
import { FRAME_MASK, IGNORED, withFrameMask } from './frame-mask.ts'
import { type Answer, type Decoded, Hypothesis } from './hypothesis.ts'
import { withByteLastLayer } from './last-layer.ts'
import { SAMPLES_PER_SECOND } from './samples.ts'

const BEGIN = 1
const CACHE = /^past_key_values\./

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

  static async load(files: { readonly encoder: string; readonly decoder: string }): Promise<MoonshineDecoder> {
    // Memory patterns are cached per input shape, and shapes rarely repeat here.
    const options = { intraOpNumThreads: 1, interOpNumThreads: 1, executionProviders: ['cpu'], enableMemPattern: false }
    const encoder = withByteConvolutions(await readFile(files.encoder))
    const decoder = withByteLastLayer(withFrameMask(withAttentionOutputs(await readFile(files.decoder))))
    return new MoonshineDecoder(await InferenceSession.create(encoder, options), await InferenceSession.create(decoder, options))
  }

  /**
   * Decodes a batch of segments of similar length: four take half of the time of one by one. Null: `signal` aborted it. `before`: known
   * first tokens, from a shorter part of the same audio. They are decoded in one step, while each further token takes one step.
   */
  async decode(segments: readonly Float32Array[], signal: AbortSignal, before: readonly number[] = []): Promise<readonly Decoded[] | null> {
    const encoded: Tensor[] = []
    for (const samples of segments) {
      if (signal.aborted) return null
      encoded.push(await this.#encode(samples))
    }
    const audio = sideBySide(encoded)
    const texts = segments.map(({ length }, at) => new Hypothesis(encoded[at]?.dims[1] ?? 0, length / SAMPLES_PER_SECOND))
    let cache: Cache = this.#emptyCache
    let known = before
    let input: readonly (readonly number[])[] = texts.map(() => [BEGIN, ...before])
    while (texts.some(({ isOver }) => !isOver)) {
      if (signal.aborted) return null
      const step = await this.#step(audio, cache, input)
      input = texts.map((text, row) => [text.add(known, this.#answers(step.outputs, { row, frames: text.frames, width: audio.frames }))])
      cache = { ...cache, ...step.cache }
      known = []
    }
    return texts
  }

  async #encode(samples: Float32Array): Promise<Tensor> {
    const outputs = await this.#encoder.run({ input_values: new Tensor('float32', samples, [1, samples.length]) })
    return tensorOf(outputs, this.#encoder.outputNames[0] ?? '')
  }

  /** The encoder part of the cache is made in the first step and stays. The decoder part grows with each token. */
  async #step({ states, mask }: Audio, cache: Cache, tokens: readonly (readonly number[])[]) {
    const isFirst = cache === this.#emptyCache
    const inputs = {
      input_ids: new Tensor('int64', BigInt64Array.from(tokens.flat(), BigInt), [tokens.length, tokens[0]?.length ?? 0]),
      encoder_hidden_states: states,
      [FRAME_MASK]: mask,
      use_cache_branch: new Tensor('bool', [!isFirst], [1]),
      ...cache,
    }
    const wanted = this.#decoder.outputNames.filter((name) => isFirst || !name.includes('.encoder.'))
    const outputs = await this.#decoder.run(inputs, wanted)
    const grown: Cache = {}
    for (const name of wanted.filter((each) => each.startsWith('present.')))
      grown[name.replace('present', 'past_key_values')] = tensorOf(outputs, name)
    return { outputs, cache: grown }
  }

  /** One for each token of the step. */
  #answers(outputs: InferenceSession.OnnxValueMapType, place: Place): readonly Answer[] {
    const logits = tensorOf(outputs, 'logits')
    const [, tokens = 0, width = 0] = logits.dims
    return Array.from({ length: tokens }, (_, token) => {
      const from = (place.row * tokens + token) * width
      return {
        logits: floatsOf(logits).subarray(from, from + width),
        attention: () => this.#attention(outputs, { ...place, token, tokens }),
      }
    })
  }

  /** The mean attention of one token over all layers and heads: weights by row, head, token and frame. */
  #attention(outputs: InferenceSession.OnnxValueMapType, place: Place & { readonly token: number; readonly tokens: number }): Float32Array {
    const { row, frames, width, token, tokens } = place
    const mean = new Float32Array(frames)
    for (let layer = 0; layer < this.#layers; layer++) {
      const output = tensorOf(outputs, attentionOutput(layer))
      const weights = floatsOf(output)
      const [, heads = 0] = output.dims
      for (let head = 0; head < heads; head++) {
        const from = ((row * heads + head) * tokens + token) * width
        for (let at = 0; at < frames; at++) mean[at] = (mean[at] ?? 0) + (weights[from + at] ?? 0)
      }
    }
    const sum = mean.reduce((total, weight) => total + weight, 0)
    return mean.map((weight) => weight / sum)
  }
}

/** `width`: the frames of the longest row. */
type Place = { readonly row: number; readonly frames: number; readonly width: number }

/** Several encoded segments as one tensor with a row for each. */
type Audio = { readonly states: Tensor; readonly mask: Tensor; readonly frames: number }

function sideBySide(encoded: readonly Tensor[]): Audio {
  const frames = Math.max(...encoded.map(({ dims }) => dims[1] ?? 0))
  const width = encoded[0]?.dims[2] ?? 0
  const states = new Float32Array(encoded.length * frames * width)
  const mask = new Float32Array(encoded.length * frames)
  for (const [row, tensor] of encoded.entries()) {
    states.set(floatsOf(tensor), row * frames * width)
    mask.fill(IGNORED, row * frames + (tensor.dims[1] ?? 0), (row + 1) * frames)
  }
  return {
    states: new Tensor('float32', states, [encoded.length, frames, width]),
    mask: new Tensor('float32', mask, [encoded.length, 1, 1, frames]),
    frames,
  }
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
