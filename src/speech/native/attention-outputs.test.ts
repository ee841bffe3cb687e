// Runs a small ONNX graph with an If node after its attention was added to the outputs.
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { expect, test } from 'vitest'
import { bytesField, numberField, textField } from '../../kit/protobuf.ts'
import { withAttentionOutputs } from './attention-outputs.ts'

const FLOAT = 1
const BOOL = 9
const GRAPH_ATTRIBUTE = 5

function value(name: string, type: number): Buffer {
  return Buffer.concat([
    textField(1, name),
    bytesField(2, bytesField(1, Buffer.concat([numberField(1, type), bytesField(2, bytesField(1, numberField(1, 3)))]))),
  ])
}

function node(operation: string, inputs: readonly string[], outputs: readonly string[], attributes: readonly Buffer[] = []): Buffer {
  const fields = [...inputs.map((name) => textField(1, name)), ...outputs.map((name) => textField(2, name)), textField(4, operation)]
  return bytesField(1, Buffer.concat([...fields, ...attributes.map((attribute) => bytesField(5, attribute))]))
}

/** Both branches compute a softmax of three numbers twice, and have different outputs. */
function branch(name: string, layers: number, last: string): Buffer {
  const inner = Array.from({ length: layers }, (_, layer) => layers - 1 - layer).map((layer) =>
    node('Softmax', ['sound'], [`/model/decoder/layers.${layer}/encoder_attn/Softmax_output_0`]),
  )
  const end = node(last, ['sound'], [`${name}_logits`])
  const graph = Buffer.concat([...inner, end, textField(2, name), bytesField(12, value(`${name}_logits`, FLOAT))])
  return Buffer.concat([textField(1, name), bytesField(6, graph), numberField(20, GRAPH_ATTRIBUTE)])
}

function model(layers: number): Buffer {
  const choice = node(
    'If',
    ['use_cache_branch'],
    ['logits'],
    [branch('then_branch', layers, 'Neg'), branch('else_branch', layers, 'Identity')],
  )
  const values = [
    bytesField(11, value('sound', FLOAT)),
    bytesField(11, Buffer.concat([textField(1, 'use_cache_branch'), bytesField(2, bytesField(1, numberField(1, BOOL)))])),
  ]
  const graph = Buffer.concat([choice, textField(2, 'main'), ...values, bytesField(12, value('logits', FLOAT))])
  return Buffer.concat([numberField(1, 8), bytesField(8, numberField(2, 13)), bytesField(7, graph)])
}

test.each([true, false])('returns the attention that both branches compute (branch: %s)', async (branchTaken) => {
  const session = await InferenceSession.create(withAttentionOutputs(model(12)))
  expect(session.outputNames).toEqual(['logits', ...Array.from({ length: 12 }, (_, layer) => `attention.${layer}`)])
  const inputs = { sound: new Tensor('float32', [0, 0, 0], [3]), use_cache_branch: new Tensor('bool', [branchTaken], [1]) }
  const outputs = await session.run(inputs)
  expect([...Array.from(outputs['attention.11']?.data as Float32Array)].map((weight) => Math.round(weight * 100))).toEqual([33, 33, 33])
})

test('rejects a model without cross-attention', () => {
  expect(() => withAttentionOutputs(model(0))).toThrow('no cross-attention')
})
