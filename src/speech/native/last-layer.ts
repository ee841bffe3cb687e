// Computes the last layer of the Moonshine decoder with its weights of 8 bits, by editing the ONNX model in memory.
//
// The model transposes and scales these weights, 13 million numbers, for every token. This took more than half of its time.
import { type ByteWeights, byteConstants, byteProduct, withByteProducts } from './byte-product.ts'
import * as onnx from './onnx-model.ts'

/** Weights that a branch transposes and then scales. All fields are names of tensors. */
type Computed = { readonly transposed: string; readonly source: string; readonly scale: string; readonly zero: string }

export function withByteLastLayer(model: Uint8Array): Buffer {
  const changed = onnx.withGraph(model, (graph) => {
    const tensors = onnx.initializersOf(graph)
    const found = new Map<string, ByteWeights>()
    const withProducts = onnx.withIfs(graph, (node) => {
      for (const branch of onnx.branchesOf(node)) for (const it of computedIn(branch).values()) found.set(it.source, weightsOf(it, tensors))
      return onnx.withBranches(node, (branch) => withProduct(branch, found))
    })
    if (found.size === 0) throw new Error('The decoder has no last layer of 8 bits: the file is not a quantised Moonshine decoder.')
    return Buffer.concat([withProducts, ...[...found.values()].flatMap(byteConstants)])
  })
  return withByteProducts(changed)
}

function withProduct(branch: Uint8Array, found: ReadonlyMap<string, ByteWeights>): Buffer {
  const computed = computedIn(branch)
  const needless = new Set([...computed].flatMap(([name, { transposed }]) => [name, transposed]))
  return onnx.withNodes(branch, ({ operation, inputs: [input = '', factor = ''], output }) => {
    const weights = operation === 'MatMul' ? found.get(computed.get(factor)?.source ?? '') : undefined
    if (weights) return [byteProduct(input, weights, output)]
    return needless.has(output) ? [] : null
  })
}

/** By the name of the result. */
function computedIn(branch: Uint8Array): ReadonlyMap<string, Computed> {
  const nodes = onnx.nodesOf(branch)
  const transposes = new Map(
    nodes.flatMap(({ operation, inputs, output }) => (operation === 'Transpose' ? [[output, inputs[0] ?? '']] : [])),
  )
  return new Map(
    nodes.flatMap(({ operation, inputs: [transposed = '', scale = '', zero = ''], output }) => {
      const source = transposes.get(transposed)
      return operation === 'DequantizeLinear' && source !== undefined ? [[output, { transposed, source, scale, zero }]] : []
    }),
  )
}

function weightsOf({ source, scale, zero }: Computed, tensors: ReadonlyMap<string, Uint8Array>): ByteWeights {
  const tensorOf = (name: string): Uint8Array => tensors.get(name) ?? Buffer.alloc(0)
  const [results = 0] = onnx.dimensionsOf(tensorOf(source))
  return {
    name: `${source}.blocks`,
    results,
    bytes: onnx.bytesOf(tensorOf(source)),
    scale: onnx.floatOf(tensorOf(scale)),
    zero: onnx.byteOf(tensorOf(zero)),
  }
}
