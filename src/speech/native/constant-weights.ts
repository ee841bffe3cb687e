// Computes the transposed weights of a quantised model once, by editing the ONNX model in memory.
//
// The Moonshine decoder transposes and scales the weights of its last layer, 13 million numbers, for every token. This took more than
// half of its time.
import { bytesField, fieldsOf, numberField, textField } from '../../kit/protobuf.ts'
import { branchesOf, FLOAT, GRAPH, NODE, payloadsOf, TENSOR, textsOf, withBranches, withGraph, withIfs } from './onnx-model.ts'

/** Weights that a branch transposes and then scales. The other fields are names of initializers. */
type Computed = {
  readonly name: string
  readonly transposed: string
  readonly source: string
  readonly scale: string
  readonly zero: string
}

export function withConstantWeights(model: Uint8Array): Buffer {
  return withGraph(model, (graph) => {
    const initializers = new Map(payloadsOf(graph, GRAPH.initializer).map((tensor) => [nameOf(tensor), tensor]))
    const found = new Map<string, Computed>()
    const changed = withIfs(graph, (node) => {
      for (const branch of branchesOf(node)) for (const it of computedIn(branch)) if (initializers.has(it.source)) found.set(it.name, it)
      const needless = new Set([...found.values()].flatMap(({ name, transposed }) => [name, transposed]))
      return withBranches(node, (branch) => withoutNodes(branch, needless))
    })
    const tensorOf = (name: string) => initializers.get(name) ?? Buffer.alloc(0)
    const weights = [...found.values()].map((it) => {
      const scale = Buffer.from(only(tensorOf(it.scale), TENSOR.floats)).readFloatLE()
      return bytesField(GRAPH.initializer, constant(it.name, tensorOf(it.source), { scale, zero: integerIn(tensorOf(it.zero)) }))
    })
    return Buffer.concat([changed, ...weights])
  })
}

function computedIn(branch: Uint8Array): readonly Computed[] {
  const nodes = payloadsOf(branch, GRAPH.node).map((node) => {
    return { operation: textsOf(node, NODE.operation)[0], inputs: textsOf(node, NODE.input), output: textsOf(node, NODE.output)[0] ?? '' }
  })
  const transposes = new Map(
    nodes.flatMap(({ operation, inputs, output }) => (operation === 'Transpose' ? [[output, inputs[0] ?? '']] : [])),
  )
  return nodes.flatMap(({ operation, inputs: [transposed = '', scale = '', zero = ''], output: name }) => {
    const source = transposes.get(transposed)
    return operation === 'DequantizeLinear' && source !== undefined ? [{ name, transposed, source, scale, zero }] : []
  })
}

/** Without the nodes that compute these tensors. */
function withoutNodes(branch: Uint8Array, needless: ReadonlySet<string>): Buffer {
  const isKept = ({ number, payload }: { readonly number: number; readonly payload: Uint8Array | null }) =>
    number !== GRAPH.node || !payload || !textsOf(payload, NODE.output).some((name) => needless.has(name))
  return Buffer.concat([...fieldsOf(branch)].filter(isKept).map(({ whole }) => whole))
}

type Scale = { readonly scale: number; readonly zero: number }

function constant(name: string, source: Uint8Array, { scale, zero }: Scale): Buffer {
  const [rows = 0, columns = 0] = [...fieldsOf(source)].flatMap(({ number, value }) => (number === TENSOR.dimension ? [value ?? 0] : []))
  const bytes = only(source, TENSOR.raw)
  const weights = new Float32Array(rows * columns)
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) weights[column * rows + row] = ((bytes[row * columns + column] ?? 0) - zero) * scale
  return Buffer.concat([
    ...[columns, rows].map((size) => numberField(TENSOR.dimension, size)),
    numberField(TENSOR.type, FLOAT),
    textField(TENSOR.name, name),
    bytesField(TENSOR.raw, new Uint8Array(weights.buffer)),
  ])
}

const nameOf = (tensor: Uint8Array): string => textsOf(tensor, TENSOR.name)[0] ?? ''

function only(tensor: Uint8Array, field: number): Uint8Array {
  const [payload] = payloadsOf(tensor, field)
  if (!payload) throw new Error(`The model's tensor ${nameOf(tensor)} has its numbers in an unknown form.`)
  return payload
}

/** A varint in a field of its own. */
function integerIn(tensor: Uint8Array): number {
  return only(tensor, TENSOR.integers).reduceRight((value, byte) => value * 128 + (byte % 128), 0)
}
