// Runs a small quantised ONNX graph before and after its last layer was changed.
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { expect, test } from 'vitest'
import { bytesField, numberField, textField } from '../../kit/protobuf.ts'
import { withByteLastLayer } from './last-layer.ts'
import * as onnx from './onnx-model.ts'

const [FLOAT, BOOL] = [1, 9]
const GRAPH_ATTRIBUTE = 5
/** Three rows of two. */
const BYTES = Uint8Array.of(100, 200, 201, 202, 255, 0)

const value = (name: string, type: number): Buffer =>
  Buffer.concat([textField(1, name), bytesField(2, bytesField(1, numberField(1, type)))])

function branch(name: string, operation: string): Buffer {
  const nodes = [
    onnx.node('Transpose', ['bytes'], 'transposed'),
    onnx.node('DequantizeLinear', ['transposed', 'scale', 'zero'], 'weights'),
    onnx.node('MatMul', ['sound', 'weights'], 'product'),
    onnx.node(operation, ['product'], `${name}_logits`),
  ].map((node) => bytesField(onnx.GRAPH.node, node))
  const graph = Buffer.concat([...nodes, textField(2, name), bytesField(onnx.GRAPH.output, value(`${name}_logits`, FLOAT))])
  return bytesField(5, Buffer.concat([textField(1, name), bytesField(6, graph), numberField(20, GRAPH_ATTRIBUTE)]))
}

function model(): Buffer {
  const choice = [onnx.node('If', ['use_cache_branch'], 'logits'), branch('then_branch', 'Neg'), branch('else_branch', 'Identity')]
  const graph = Buffer.concat([
    bytesField(onnx.GRAPH.node, Buffer.concat(choice)),
    textField(2, 'main'),
    onnx.initializer('bytes', [3, 2], BYTES),
    onnx.initializer('scale', [], Float32Array.of(0.5)),
    onnx.initializer('zero', [], Uint8Array.of(200)),
    bytesField(11, value('sound', FLOAT)),
    bytesField(11, value('use_cache_branch', BOOL)),
    bytesField(onnx.GRAPH.output, value('logits', FLOAT)),
  ])
  return Buffer.concat([numberField(1, 8), bytesField(8, numberField(2, 13)), bytesField(7, graph)])
}

async function logitsOf(model: Uint8Array, branchTaken: boolean): Promise<readonly number[]> {
  const session = await InferenceSession.create(model, { graphOptimizationLevel: 'disabled', logSeverityLevel: 3 })
  const inputs = { sound: new Tensor('float32', [-3, 127], [1, 2]), use_cache_branch: new Tensor('bool', [branchTaken], [1]) }
  return Array.from((await session.run(inputs)).logits?.data as Float32Array)
}

const toTenths = (number: number): number => Math.round(number * 10) / 10

test.each([true, false])('changes no result whose input has 8 bits (branch: %s)', async (branchTaken) => {
  const expected = [150, 125.5, -12_782.5].map((logit) => (branchTaken ? -logit : logit))
  expect(await logitsOf(model(), branchTaken)).toEqual(expected)
  expect((await logitsOf(withByteLastLayer(model()), branchTaken)).map(toTenths)).toEqual(expected)
})

test('leaves no transposition to the branches', () => {
  const operations: string[] = []
  onnx.withGraph(withByteLastLayer(model()), (graph) =>
    onnx.withIfs(graph, (choice) => {
      for (const inner of onnx.branchesOf(choice)) operations.push(...onnx.nodesOf(inner).map(({ operation }) => operation))
      return choice
    }),
  )
  expect(operations).toEqual(['MatMulNBits', 'Neg', 'MatMulNBits', 'Identity'])
})

test('rejects a model without such a layer', () => {
  const other = Buffer.from(model().toString('latin1').replaceAll('Transpose', 'Identitys'), 'latin1')
  expect(() => withByteLastLayer(other)).toThrow('not a quantised Moonshine decoder')
})
