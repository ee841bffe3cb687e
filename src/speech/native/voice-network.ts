// Rebuilds the Silero network in memory, so that one run rates many windows of a stream.
//
// The model rates one window a run. For each it chooses a sample rate and rearranges its weights, which takes most of its time.
import { bytesField } from '../../kit/protobuf.ts'
import * as onnx from './onnx-model.ts'
import { joined } from './samples.ts'

/** Numbers of the network's memory, and of its cell state. */
export const UNITS = 128
/** A window is given in parts of this length. Two of them make one spectrum. */
export const PART_SAMPLES = 128
export const PARTS = 5
const SPECTRA = PARTS - 1
const FREQUENCIES = 129
/** Of the spectra, by their times. A spectrum and its neighbours make one result. */
const CONVOLUTIONS = [
  { times: SPECTRA, stride: 1 },
  { times: SPECTRA, stride: 2 },
  { times: 2, stride: 2 },
  { times: 1, stride: 1 },
] as const
const NEIGHBOURS = 1
const WAVES = 'stft.forward_basis_buffer'
const WEIGHTS = /^(stft\.forward_basis_buffer|encoder\.\d\.reparam_conv\.\w+|decoder\.(rnn|decoder\.2)\.\w+)$/
/** The order of PyTorch is input, forget, cell, output; that of ONNX is input, output, forget, cell. */
const GATES = [0, 3, 1, 2] as const

type Matrix = { readonly rows: number; readonly columns: number; readonly floats: Float32Array }
type Weights = (name: string) => { readonly dimensions: readonly number[]; readonly floats: Float32Array }

/**
 * Inputs: `windows` by window, part and sample, `memory` and `cell`. Outputs: `voice`, a probability for each window, and `memory.after`
 * and `cell.after`, the state after the last window.
 */
export function withWindows(model: Uint8Array): Buffer {
  const weights = weightsOf(model)
  const named = (field: number, ...names: readonly string[]) => names.map((name) => bytesField(field, onnx.floatTensor(name)))
  const nodes = [...spectrumNodes(), ...convolutionNodes(), ...memoryNodes()]
  return onnx.model([
    ...nodes.map((node) => bytesField(onnx.GRAPH.node, node)),
    ...constants(weights),
    ...named(onnx.GRAPH.input, 'windows', 'memory', 'cell'),
    ...named(onnx.GRAPH.output, 'voice', 'memory.after', 'cell.after'),
  ])
}

function spectrumNodes(): readonly Buffer[] {
  const squared = ['real', 'imaginary'].map((part) => onnx.node('Mul', [part, part], `${part}.squared`))
  return [
    onnx.node('Slice', ['windows', 'zero', 'spectra', 'one'], 'first'),
    onnx.node('Slice', ['windows', 'one', 'parts', 'one'], 'second'),
    onnx.node('Concat', ['first', 'second'], 'frames', { axis: 2 }),
    onnx.node('MatMul', ['frames', 'waves'], 'spectrum'),
    onnx.node('Slice', ['spectrum', 'zero', 'frequencies', 'two'], 'real'),
    onnx.node('Slice', ['spectrum', 'frequencies', 'twice', 'two'], 'imaginary'),
    ...squared,
    onnx.node('Add', ['real.squared', 'imaginary.squared'], 'power'),
    onnx.node('Sqrt', ['power'], 'magnitudes'),
    onnx.node('Reshape', ['magnitudes', 'flat'], layerInput(0)),
  ]
}

const layerInput = (layer: number): string => `layer.${layer}`

/** A window has so few spectra that each convolution is one product. */
function convolutionNodes(): readonly Buffer[] {
  return CONVOLUTIONS.flatMap((_, layer) => [
    onnx.node('Gemm', [layerInput(layer), `weights.${layer}`, `bias.${layer}`], `sum.${layer}`),
    onnx.node('Relu', [`sum.${layer}`], layerInput(layer + 1)),
  ])
}

/** The windows are the steps of one sequence. */
function memoryNodes(): readonly Buffer[] {
  const inputs = ['steps', 'lstm.input', 'lstm.memory', 'lstm.bias', '', 'memory', 'cell']
  return [
    onnx.node('Reshape', [layerInput(CONVOLUTIONS.length), 'by.step'], 'steps'),
    onnx.node('LSTM', inputs, ['remembered', 'memory.after', 'cell.after'], { hidden_size: UNITS }),
    onnx.node('Relu', ['remembered'], 'positive'),
    onnx.node('Reshape', ['positive', 'by.window'], 'last'),
    onnx.node('Gemm', ['last', 'weights.last', 'bias.last'], 'sum.last'),
    onnx.node('Sigmoid', ['sum.last'], 'voice'),
  ]
}

function constants(weights: Weights): readonly Buffer[] {
  const list = (name: string, ...numbers: readonly number[]) =>
    onnx.initializer(name, [numbers.length], BigInt64Array.from(numbers, BigInt))
  const matrix = (name: string, { rows, columns, floats }: Matrix) => onnx.initializer(name, [rows, columns], floats)
  const bias = (name: string, of: string) => onnx.initializer(name, [weights(of).floats.length], weights(of).floats)
  const lstm = (name: string, ...of: readonly string[]) => {
    const floats = joined(of.map((each) => gatesInOrder(weights(each).floats)))
    const [, ...rest] = weights(of[0] ?? '').dimensions
    return onnx.initializer(name, [1, floats.length / (rest[0] ?? 1), ...rest], floats)
  }
  const products = CONVOLUTIONS.flatMap((convolution, layer) => {
    const repeated = Array.from({ length: timesAfter(convolution) }, () => weights(`encoder.${layer}.reparam_conv.bias`).floats)
    const all = joined(repeated)
    return [
      matrix(`weights.${layer}`, productOf(weights(`encoder.${layer}.reparam_conv.weight`), convolution)),
      onnx.initializer(`bias.${layer}`, [all.length], all),
    ]
  })
  return [
    ...[list('zero', 0), list('one', 1), list('two', 2), list('spectra', SPECTRA), list('parts', PARTS)],
    ...[list('frequencies', FREQUENCIES), list('twice', 2 * FREQUENCIES), list('flat', -1, SPECTRA * FREQUENCIES)],
    ...[list('by.step', -1, 1, UNITS), list('by.window', -1, UNITS)],
    matrix('waves', transposed(weights(WAVES).floats, 2 * FREQUENCIES)),
    ...products,
    ...[lstm('lstm.input', 'decoder.rnn.weight_ih'), lstm('lstm.memory', 'decoder.rnn.weight_hh')],
    lstm('lstm.bias', 'decoder.rnn.bias_ih', 'decoder.rnn.bias_hh'),
    ...[matrix('weights.last', transposed(weights('decoder.decoder.2.weight').floats, 1)), bias('bias.last', 'decoder.decoder.2.bias')],
  ]
}

type Convolution = (typeof CONVOLUTIONS)[number]

const timesAfter = ({ times, stride }: Convolution): number => Math.ceil(times / stride)

/** From results x channels x neighbours to one matrix: each time and channel before, by each time and result after. */
function productOf({ dimensions, floats }: ReturnType<Weights>, convolution: Convolution): Matrix {
  const [results = 0, channels = 0, width = 0] = dimensions
  const { times, stride } = convolution
  const [rows, columns] = [times * channels, timesAfter(convolution) * results]
  const product = new Float32Array(rows * columns)
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      const neighbour = Math.floor(row / channels) - (Math.floor(column / results) * stride - NEIGHBOURS)
      if (neighbour < 0 || neighbour >= width) continue
      product[row * columns + column] = floats[((column % results) * channels + (row % channels)) * width + neighbour] ?? 0
    }
  return { rows, columns, floats: product }
}

function transposed(floats: Float32Array, rows: number): Matrix {
  const width = floats.length / rows
  const turned = floats.map((_, at) => floats[(at % rows) * width + Math.floor(at / rows)] ?? 0)
  return { rows: width, columns: rows, floats: turned }
}

function gatesInOrder(floats: Float32Array): Float32Array {
  const size = floats.length / GATES.length
  return joined(GATES.map((gate) => floats.subarray(gate * size, (gate + 1) * size)))
}

/** By the ends of their names, from the branch of the model for 16,000 samples a second. */
function weightsOf(model: Uint8Array): Weights {
  const found = new Map<string, ReturnType<Weights>>()
  onnx.withGraph(model, (graph) =>
    onnx.withIfs(graph, (node) => {
      for (const branch of onnx.branchesOf(node)) collect(branch, found)
      return node
    }),
  )
  return (name) => {
    const weights = found.get(name)
    if (!weights) throw new Error(`The voice activity network has no ${name}: the model file is not Silero VAD.`)
    return weights
  }
}

function collect(branch: Uint8Array, found: Map<string, ReturnType<Weights>>): void {
  const tensors = [...onnx.constantsOf(branch)].map(([name, tensor]) => [name.replace(/^.*__/, ''), tensor] as const)
  const waves = tensors.find(([name]) => name === WAVES)?.[1]
  if (!waves || onnx.dimensionsOf(waves)[0] !== 2 * FREQUENCIES) return
  for (const [name, tensor] of tensors)
    if (WEIGHTS.test(name)) found.set(name, { dimensions: onnx.dimensionsOf(tensor), floats: floatsOf(tensor) })
}

/** Copied, because an array of floats needs an aligned offset. */
const floatsOf = (tensor: Uint8Array): Float32Array => new Float32Array(Uint8Array.from(onnx.bytesOf(tensor)).buffer)
