// Computes the convolutions of the Moonshine encoder with their weights of 8 bits, by editing the ONNX model in memory.
//
// The model makes floats of these weights, and the convolutions took more than a third of its time.
import { type ByteWeights, byteConstants, byteProduct, withByteProducts } from './byte-product.ts'
import * as onnx from './onnx-model.ts'

type Convolution = {
  readonly node: onnx.Node
  /** The number of neighbouring frames of which one result is made. */
  readonly width: number
  readonly stride: number
  readonly weights: ByteWeights
}

/** Each convolution becomes a product: its input is the frames of which a result is made, side by side. */
export function withByteConvolutions(model: Uint8Array): Buffer {
  const changed = onnx.withGraph(model, (graph) => {
    const convolutions = new Map(convolutionsOf(graph).map((it) => [it.node.output, it]))
    if (convolutions.size === 0)
      throw new Error('The encoder has no convolutions of 8 bits: the file is not a quantised Moonshine encoder.')
    const withProducts = onnx.withNodes(graph, ({ output }) => {
      const found = convolutions.get(output)
      return found ? nodesFor(found) : null
    })
    return Buffer.concat([withProducts, ...[...convolutions.values()].flatMap(constantsFor)])
  })
  return withByteProducts(changed)
}

function convolutionsOf(graph: Uint8Array): readonly Convolution[] {
  const tensors = onnx.initializersOf(graph)
  const nodes = onnx.nodesOf(graph)
  const makers = new Map(nodes.map((node) => [node.output, node]))
  return nodes.flatMap((node) => {
    if (node.operation !== 'Conv') return []
    // The weights are `quantised * scale + offset`.
    const sum = makers.get(node.inputs[1] ?? '')
    const product = makers.get(sum?.inputs[0] ?? '')
    const cast = makers.get(product?.inputs[0] ?? '')
    const [quantised, scale, offset] = [cast?.inputs[0], product?.inputs[1], sum?.inputs[1]].map((name) => tensors.get(name ?? ''))
    if (!quantised || !scale || !offset) return []
    const [results = 0, channels = 0, width = 0] = onnx.dimensionsOf(quantised)
    // Samples of audio keep their 16 bits.
    if (channels === 1) return []
    const zero = UNSIGNED - Math.round(onnx.floatOf(offset) / onnx.floatOf(scale))
    const weights = { name: ownName(node, 'weights'), results, bytes: rearranged(quantised), scale: onnx.floatOf(scale), zero }
    return [{ node, width, stride: onnx.integersOf(node.whole, 'strides')[0] ?? 1, weights }]
  })
}

/** The weights of the model are signed. */
const UNSIGNED = 128

/** From results x channels x frames to results x frames x channels. */
function rearranged(quantised: Uint8Array): Uint8Array {
  const [results = 0, channels = 0, width = 0] = onnx.dimensionsOf(quantised)
  const signed = new Int8Array(onnx.bytesOf(quantised))
  const bytes = new Uint8Array(signed.length)
  for (let result = 0; result < results; result++)
    for (let channel = 0; channel < channels; channel++)
      for (let at = 0; at < width; at++)
        bytes[(result * width + at) * channels + channel] = (signed[(result * channels + channel) * width + at] ?? 0) + UNSIGNED
  return bytes
}

function nodesFor({ node, width, weights }: Convolution): readonly Buffer[] {
  const [input = '', , bias = ''] = node.inputs
  const own = (name: string): string => ownName(node, name)
  const parts = Array.from({ length: width }, (_, at) => own(`part.${at}`))
  const swap = { perm: [0, 2, 1] }
  return [
    onnx.node('Transpose', [input], own('frames'), swap),
    ...parts.map((name, at) => onnx.node('Slice', [own('frames'), own(`from.${at}`), own(`to.${at}`), own('axis'), own('stride')], name)),
    onnx.node('Concat', parts, own('parts'), { axis: 2 }),
    byteProduct(own('parts'), weights, own('product')),
    onnx.node('Add', [own('product'), bias], own('sum')),
    onnx.node('Transpose', [own('sum')], node.output, swap),
  ]
}

const TO_END = 2n ** 62n

/** The first frame of a result is any but the last `width - 1`, its second frame any but the first and the last `width - 2`, and so on. */
function constantsFor({ node, width, stride, weights }: Convolution): readonly Buffer[] {
  const long = (name: string, value: bigint): Buffer => onnx.initializer(ownName(node, name), [1], BigInt64Array.of(value))
  const bounds = Array.from({ length: width }, (_, at) => [
    long(`from.${at}`, BigInt(at)),
    long(`to.${at}`, at === width - 1 ? TO_END : BigInt(at + 1 - width)),
  ])
  return [...bounds.flat(), long('axis', 1n), long('stride', BigInt(stride)), ...byteConstants(weights)]
}

const ownName = ({ output }: onnx.Node, name: string): string => `${output}.${name}`
