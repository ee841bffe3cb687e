// A decoder that also says where it listened: its model file keeps that to itself, so the outputs are added to it in memory.
import { bytesField, fieldsOf, numberField, textField, withFields } from '../../kit/protobuf.ts'

/** Numbers of fields in onnx.proto. */
const MODEL = { graph: 7 } as const
const GRAPH = { node: 1, output: 12 } as const
const NODE = { output: 2, operation: 4, attribute: 5 } as const
const ATTRIBUTE = { graph: 6 } as const
const VALUE = { name: 1, type: 2 } as const
const FLOAT = 1

const CROSS_ATTENTION = /\/layers\.\d+\/encoder_attn\/Softmax_output_0$/

export const attentionOutput = (layer: number | ''): string => `attention.${layer}`

/** The decoder chooses between two graphs, with and without a past; whatever both compute can be led out through that choice. */
export function withAttentionOutputs(model: Uint8Array): Buffer {
  let layers = 0
  const changed = withFields(model, (graph, number) => {
    if (number !== MODEL.graph) return null
    const withOutputs = withFields(graph, (node, field) => {
      if (field !== GRAPH.node || textOf(node, NODE.operation) !== 'If') return null
      const names = attentionNames(node)
      layers = names.length
      return withBranchOutputs(node, names)
    })
    return Buffer.concat([withOutputs, ...layerNames(layers).map((name) => bytesField(GRAPH.output, floatTensor(name)))])
  })
  if (layers === 0) throw new Error('The decoder has no cross-attention that could be led out: it is not a merged Moonshine decoder.')
  return changed
}

function layerNames(layers: number): readonly string[] {
  return Array.from({ length: layers }, (_, layer) => attentionOutput(layer))
}

/** In one order for both branches; which layer is which does not matter to anybody. */
function attentionNames(node: Uint8Array): readonly string[] {
  const names = new Set<string>()
  for (const graph of branchesOf(node))
    for (const { number, payload } of fieldsOf(graph))
      if (number === GRAPH.node && payload) {
        const name = textOf(payload, NODE.output)
        if (CROSS_ATTENTION.test(name)) names.add(name)
      }
  return [...names]
}

function branchesOf(node: Uint8Array): readonly Uint8Array[] {
  const attributes = [...fieldsOf(node)].flatMap(({ number, payload }) => (number === NODE.attribute && payload ? [payload] : []))
  return attributes.flatMap((attribute) =>
    [...fieldsOf(attribute)].flatMap(({ number, payload }) => (number === ATTRIBUTE.graph && payload ? [payload] : [])),
  )
}

/** Outputs are matched by their order, and a repeated field may go on at the end of its message. */
function withBranchOutputs(node: Uint8Array, names: readonly string[]): Buffer {
  const outputs = names.map((name) => bytesField(GRAPH.output, floatTensor(name)))
  const withBranches = withFields(node, (attribute, number) =>
    number === NODE.attribute
      ? withFields(attribute, (graph, field) => (field === ATTRIBUTE.graph ? Buffer.concat([graph, ...outputs]) : null))
      : null,
  )
  return Buffer.concat([withBranches, ...layerNames(names.length).map((name) => textField(NODE.output, name))])
}

/** Of a shape that the runtime finds out by itself. */
function floatTensor(name: string): Buffer {
  const tensor = bytesField(1, numberField(1, FLOAT))
  return Buffer.concat([textField(VALUE.name, name), bytesField(VALUE.type, tensor)])
}

/** The first such field, as text. */
function textOf(message: Uint8Array, field: number): string {
  for (const { number, payload } of fieldsOf(message)) if (number === field && payload) return Buffer.from(payload).toString()
  return ''
}
