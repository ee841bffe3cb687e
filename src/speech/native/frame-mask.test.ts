// Runs a small ONNX graph with an If node after its attention was masked.
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { expect, test } from 'vitest'
import { bytesField, numberField, textField } from '../../kit/protobuf.ts'
import { FRAME_MASK, IGNORED, withFrameMask } from './frame-mask.ts'
import * as onnx from './onnx-model.ts'

const BOOL = 9
const GRAPH_ATTRIBUTE = 5
const ATTENTION = '/model/decoder/layers.0/encoder_attn/Softmax_output_0'

function branch(name: string, operation: string): Buffer {
  const nodes = [onnx.node('Softmax', ['scores'], ATTENTION, { axis: 1 }), onnx.node(operation, [ATTENTION], `${name}_result`)]
  const graph = [
    ...nodes.map((node) => bytesField(onnx.GRAPH.node, node)),
    textField(2, name),
    bytesField(onnx.GRAPH.output, onnx.floatTensor(`${name}_result`)),
  ]
  return bytesField(5, Buffer.concat([textField(1, name), bytesField(6, Buffer.concat(graph)), numberField(20, GRAPH_ATTRIBUTE)]))
}

function model(): Buffer {
  const choice = [onnx.node('If', ['use_cache_branch'], 'result'), branch('then_branch', 'Neg'), branch('else_branch', 'Identity')]
  const graph = [
    bytesField(onnx.GRAPH.node, Buffer.concat(choice)),
    textField(2, 'main'),
    bytesField(onnx.GRAPH.input, onnx.floatTensor('scores')),
    bytesField(onnx.GRAPH.input, Buffer.concat([textField(1, 'use_cache_branch'), bytesField(2, bytesField(1, numberField(1, BOOL)))])),
    bytesField(onnx.GRAPH.output, onnx.floatTensor('result')),
  ]
  return Buffer.concat([numberField(1, 8), bytesField(8, numberField(2, 13)), bytesField(7, Buffer.concat(graph))])
}

test.each([true, false])('gives no attention to masked frames (branch: %s)', async (branchTaken) => {
  const session = await InferenceSession.create(withFrameMask(model()), { logSeverityLevel: 3 })
  const scores = new Tensor('float32', [1, 1, 5, 2, 2, 2], [2, 3])
  const mask = new Tensor('float32', [0, 0, IGNORED, 0, 0, 0], [2, 3])
  const { result } = await session.run({ scores, use_cache_branch: new Tensor('bool', [branchTaken], [1]), [FRAME_MASK]: mask })
  const percent = Array.from(result?.data as Float32Array, (weight) => Math.round(Math.abs(weight) * 100))
  expect(percent).toEqual([50, 50, 0, 33, 33, 33])
})
