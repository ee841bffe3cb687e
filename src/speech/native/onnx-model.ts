// Reads and edits ONNX models in memory, by the field numbers of onnx.proto.
import { bytesField, fieldsOf, numberField, textField, withFields } from '../../kit/protobuf.ts'

const MODEL = { version: 1, graph: 7, operators: 8 } as const
const OPERATORS = { domain: 1, version: 2 } as const
export const GRAPH = { node: 1, name: 2, initializer: 5, input: 11, output: 12 } as const
const VALUE = { name: 1, type: 2 } as const
export const NODE = { input: 1, output: 2, operation: 4, attribute: 5, domain: 7 } as const
const ATTRIBUTE = { name: 1, integer: 3, tensor: 5, graph: 6, integers: 8, type: 20 } as const
const ATTRIBUTE_TYPE = { integer: 2, integers: 7 } as const
const TENSOR = { dimension: 1, type: 2, floats: 4, integers: 5, name: 8, raw: 9 } as const
const TYPES = { Float32Array: 1, Uint8Array: 2, Int8Array: 3, BigInt64Array: 7 } as const

/** Versions of the file format and of the operators that every runtime since 2022 has. */
const [FORMAT, OPERATOR_SET] = [8, 16]

/** A model of the fields of its graph. */
export function model(graph: readonly Uint8Array[]): Buffer {
  const operators = Buffer.concat([textField(OPERATORS.domain, ''), numberField(OPERATORS.version, OPERATOR_SET)])
  return Buffer.concat([
    numberField(MODEL.version, FORMAT),
    bytesField(MODEL.operators, operators),
    bytesField(MODEL.graph, Buffer.concat([textField(GRAPH.name, 'main'), ...graph])),
  ])
}

/** The whole graph, replaced. */
export function withGraph(model: Uint8Array, change: (graph: Uint8Array) => Uint8Array): Buffer {
  return withFields(model, (graph, number) => (number === MODEL.graph ? change(graph) : null))
}

/** The graph with its If nodes replaced. */
export function withIfs(graph: Uint8Array, change: (node: Uint8Array) => Uint8Array): Buffer {
  return withFields(graph, (node, number) => (number === GRAPH.node && operationOf(node) === 'If' ? change(node) : null))
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

export type Node = {
  readonly operation: string
  readonly inputs: readonly string[]
  readonly output: string
  readonly whole: Uint8Array
}

export function nodesOf(graph: Uint8Array): readonly Node[] {
  return payloadsOf(graph, GRAPH.node).map((node) => ({
    operation: operationOf(node),
    inputs: textsOf(node, NODE.input),
    output: textsOf(node, NODE.output)[0] ?? '',
    whole: node,
  }))
}

/** The graph with these nodes replaced, each by any number of nodes. */
export function withNodes(graph: Uint8Array, change: (node: Node) => readonly Buffer[] | null): Buffer {
  const nodes = nodesOf(graph).values()
  const parts = [...fieldsOf(graph)].flatMap(({ number, whole }) => {
    const node = number === GRAPH.node ? nodes.next().value : undefined
    return (node && change(node)?.map((each) => bytesField(GRAPH.node, each))) ?? [whole]
  })
  return Buffer.concat(parts)
}

export type Attributes = Readonly<Record<string, number | readonly number[]>>

export function node(
  operation: string,
  inputs: readonly string[],
  outputs: string | readonly string[],
  attributes: Attributes = {},
  domain = '',
): Buffer {
  return Buffer.concat([
    ...inputs.map((name) => textField(NODE.input, name)),
    ...[outputs].flat().map((name) => textField(NODE.output, name)),
    textField(NODE.operation, operation),
    ...Object.entries(attributes).map(([name, value]) => bytesField(NODE.attribute, attribute(name, value))),
    textField(NODE.domain, domain),
  ])
}

/** The integers of an attribute of a node. */
export function integersOf(node: Uint8Array, name: string): readonly number[] {
  const found = payloadsOf(node, NODE.attribute).find((it) => textsOf(it, ATTRIBUTE.name)[0] === name)
  return found ? numbersOf(found, ATTRIBUTE.integers) : []
}

function attribute(name: string, value: number | readonly number[]): Buffer {
  const numbers =
    typeof value === 'number' ? [numberField(ATTRIBUTE.integer, value)] : value.map((each) => numberField(ATTRIBUTE.integers, each))
  const type = typeof value === 'number' ? ATTRIBUTE_TYPE.integer : ATTRIBUTE_TYPE.integers
  return Buffer.concat([textField(ATTRIBUTE.name, name), ...numbers, numberField(ATTRIBUTE.type, type)])
}

/** The constant tensors of a graph by their names. */
export function initializersOf(graph: Uint8Array): ReadonlyMap<string, Uint8Array> {
  return new Map(payloadsOf(graph, GRAPH.initializer).map((tensor) => [textsOf(tensor, TENSOR.name)[0] ?? '', tensor]))
}

/** The tensors of the Constant nodes of a graph by their names. */
export function constantsOf(graph: Uint8Array): ReadonlyMap<string, Uint8Array> {
  const constants = nodesOf(graph).filter(({ operation }) => operation === 'Constant')
  return new Map(constants.flatMap(({ output, whole }) => tensorsOf(whole).map((tensor) => [output, tensor])))
}

const tensorsOf = (node: Uint8Array): readonly Uint8Array[] =>
  payloadsOf(node, NODE.attribute).flatMap((attribute) => payloadsOf(attribute, ATTRIBUTE.tensor))

type Numbers = Float32Array | Uint8Array | Int8Array | BigInt64Array

export function initializer(name: string, dimensions: readonly number[], numbers: Numbers): Buffer {
  return bytesField(
    GRAPH.initializer,
    Buffer.concat([
      ...dimensions.map((size) => numberField(TENSOR.dimension, size)),
      numberField(TENSOR.type, TYPES[numbers[Symbol.toStringTag]]),
      textField(TENSOR.name, name),
      bytesField(TENSOR.raw, new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength)),
    ]),
  )
}

export const dimensionsOf = (tensor: Uint8Array): readonly number[] => numbersOf(tensor, TENSOR.dimension)

export function bytesOf(tensor: Uint8Array): Uint8Array {
  return only(tensor, TENSOR.raw)
}

export function floatOf(tensor: Uint8Array): number {
  return Buffer.from(payloadsOf(tensor, TENSOR.raw)[0] ?? only(tensor, TENSOR.floats)).readFloatLE()
}

/** A single byte, as bytes or as a varint. */
export function byteOf(tensor: Uint8Array): number {
  const [raw] = payloadsOf(tensor, TENSOR.raw)
  return raw ? (raw[0] ?? 0) : only(tensor, TENSOR.integers).reduceRight((value, byte) => value * 128 + (byte % 128), 0)
}

/** An input or output of a graph, without a shape, which the runtime infers. */
export function floatTensor(name: string): Buffer {
  const tensor = bytesField(1, numberField(1, TYPES.Float32Array))
  return Buffer.concat([textField(VALUE.name, name), bytesField(VALUE.type, tensor)])
}

/** The model may use the operators of this domain. */
export function withOperators(model: Uint8Array, domain: string, version: number): Buffer {
  const operators = Buffer.concat([textField(OPERATORS.domain, domain), numberField(OPERATORS.version, version)])
  return Buffer.concat([model, bytesField(MODEL.operators, operators)])
}

const operationOf = (node: Uint8Array): string => textsOf(node, NODE.operation)[0] ?? ''

const numbersOf = (message: Uint8Array, field: number): readonly number[] =>
  [...fieldsOf(message)].flatMap(({ number, value }) => (number === field ? [value ?? 0] : []))

function only(tensor: Uint8Array, field: number): Uint8Array {
  const [payload] = payloadsOf(tensor, field)
  if (!payload) throw new Error(`The model's tensor ${textsOf(tensor, TENSOR.name)[0]} has its numbers in an unknown form.`)
  return payload
}
