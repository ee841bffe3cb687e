// Reads and edits ONNX models in memory, by the field numbers of onnx.proto.
import { fieldsOf, withFields } from '../../kit/protobuf.ts'

const MODEL = { graph: 7 } as const
export const GRAPH = { node: 1, initializer: 5, output: 12 } as const
export const NODE = { input: 1, output: 2, operation: 4, attribute: 5 } as const
const ATTRIBUTE = { graph: 6 } as const
export const TENSOR = { dimension: 1, type: 2, floats: 4, integers: 5, name: 8, raw: 9 } as const
export const FLOAT = 1

/** The whole graph, replaced. */
export function withGraph(model: Uint8Array, change: (graph: Uint8Array) => Uint8Array): Buffer {
  return withFields(model, (graph, number) => (number === MODEL.graph ? change(graph) : null))
}

/** The graph with its If nodes replaced. */
export function withIfs(graph: Uint8Array, change: (node: Uint8Array) => Uint8Array): Buffer {
  return withFields(graph, (node, number) => (number === GRAPH.node && textsOf(node, NODE.operation)[0] === 'If' ? change(node) : null))
}

/** The graphs of an If node. */
export function branchesOf(node: Uint8Array): readonly Uint8Array[] {
  return payloadsOf(node, NODE.attribute).flatMap((attribute) => payloadsOf(attribute, ATTRIBUTE.graph))
}

/** The If node with its graphs replaced. */
export function withBranches(node: Uint8Array, change: (graph: Uint8Array) => Uint8Array): Buffer {
  const changed = (attribute: Uint8Array) => withFields(attribute, (graph, number) => (number === ATTRIBUTE.graph ? change(graph) : null))
  return withFields(node, (attribute, number) => (number === NODE.attribute ? changed(attribute) : null))
}

export function payloadsOf(message: Uint8Array, field: number): readonly Uint8Array[] {
  return [...fieldsOf(message)].flatMap(({ number, payload }) => (number === field && payload ? [payload] : []))
}

export function textsOf(message: Uint8Array, field: number): readonly string[] {
  return payloadsOf(message, field).map((payload) => Buffer.from(payload).toString())
}
