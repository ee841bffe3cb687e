// Runs a small quantised ONNX graph before and after its weights were computed.
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { expect, test } from 'vitest'
import { bytesField, numberField, textField } from '../../kit/protobuf.ts'
import { withConstantWeights } from './constant-weights.ts'
import { branchesOf, GRAPH, NODE, payloadsOf, TENSOR, textsOf, withGraph, withIfs } from './onnx-model.ts'

const [FLOAT, BYTE, BOOL] = [1, 2, 9]
const GRAPH_ATTRIBUTE = 5
/** Three rows of two, with a zero that takes two bytes as a varint. */
const BYTES = [100, 200, 201, 202, 255, 0]
const ZERO = Buffer.of(200, 1)
const SCALE = 0.5

const value = (name: string, type: number): Buffer =>
  Buffer.concat([textField(1, name), bytesField(2, bytesField(1, numberField(1, type)))])

function node(operation: string, inputs: readonly string[], output: string, attributes: readonly Buffer[] = []): Buffer {
  const fields = [
    ...inputs.map((name) => textField(NODE.input, name)),
    textField(NODE.output, output),
    textField(NODE.operation, operation),
  ]
  return bytesField(GRAPH.node, Buffer.concat([...fields, ...attributes.map((attribute) => bytesField(NODE.attribute, attribute))]))
}

function tensor(name: string, dimensions: readonly number[], type: number, numbers: Buffer): Buffer {
  const sizes = dimensions.map((size) => numberField(TENSOR.dimension, size))
  return bytesField(GRAPH.initializer, Buffer.concat([...sizes, numberField(TENSOR.type, type), textField(TENSOR.name, name), numbers]))
}

function branch(name: string, operation: string): Buffer {
  const nodes = [
    node('Transpose', ['bytes'], 'transposed'),
    node('DequantizeLinear', ['transposed', 'scale', 'zero'], 'weights'),
    node('MatMul', ['sound', 'weights'], 'product'),
    node(operation, ['product'], `${name}_logits`),
  ]
  const graph = Buffer.concat([...nodes, textField(2, name), bytesField(GRAPH.output, value(`${name}_logits`, FLOAT))])
  return Buffer.concat([textField(1, name), bytesField(6, graph), numberField(20, GRAPH_ATTRIBUTE)])
}

function model(): Buffer {
  const scale = Buffer.alloc(4)
  scale.writeFloatLE(SCALE)
  const graph = Buffer.concat([
    node('If', ['use_cache_branch'], 'logits', [branch('then_branch', 'Neg'), branch('else_branch', 'Identity')]),
    textField(2, 'main'),
    tensor('bytes', [3, 2], BYTE, bytesField(TENSOR.raw, Buffer.from(BYTES))),
    tensor('scale', [], FLOAT, bytesField(TENSOR.floats, scale)),
    tensor('zero', [], BYTE, bytesField(TENSOR.integers, ZERO)),
    bytesField(11, value('sound', FLOAT)),
    bytesField(11, value('use_cache_branch', BOOL)),
    bytesField(GRAPH.output, value('logits', FLOAT)),
  ])
  return Buffer.concat([numberField(1, 8), bytesField(8, numberField(2, 13)), bytesField(7, graph)])
}

async function logitsOf(model: Uint8Array, branchTaken: boolean): Promise<readonly number[]> {
  const session = await InferenceSession.create(model, { graphOptimizationLevel: 'disabled', logSeverityLevel: 3 })
  const inputs = { sound: new Tensor('float32', [1, 3], [1, 2]), use_cache_branch: new Tensor('bool', [branchTaken], [1]) }
  return Array.from((await session.run(inputs)).logits?.data as Float32Array)
}

test.each([true, false])('changes no result (branch: %s)', async (branchTaken) => {
  const expected = [-50, 3.5, -272.5].map((logit) => (branchTaken ? -logit : logit))
  expect(await logitsOf(model(), branchTaken)).toEqual(expected)
  expect(await logitsOf(withConstantWeights(model()), branchTaken)).toEqual(expected)
})

test('leaves no transposition to the branches', () => {
  const operations: string[] = []
  withGraph(withConstantWeights(model()), (graph) =>
    withIfs(graph, (choice) => {
      for (const inner of branchesOf(choice))
        operations.push(...payloadsOf(inner, GRAPH.node).flatMap((each) => textsOf(each, NODE.operation)))
      return choice
    }),
  )
  expect(operations).toEqual(['MatMul', 'Neg', 'MatMul', 'Identity'])
})

test('keeps a model without such weights', () => {
  const other = Buffer.from(model().toString('latin1').replaceAll('Transpose', 'Identitys'), 'latin1')
  expect(withConstantWeights(other)).toEqual(other)
})
