// Runs a small quantised convolution before and after it was changed.
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { expect, test } from 'vitest'
import { bytesField, numberField, textField } from '../../kit/protobuf.ts'
import { withByteConvolutions } from './convolutions.ts'
import * as onnx from './onnx-model.ts'

const FLOAT = 1
const value = (name: string): Buffer => Buffer.concat([textField(1, name), bytesField(2, bytesField(1, numberField(1, FLOAT)))])

/** Three results of two channels, four frames wide. */
const SHAPE = [3, 2, 4]
const WEIGHTS = Int8Array.from({ length: 24 }, (_, at) => ((at * 37) % 255) - 127)

function model(channels: number, stride: number): Buffer {
  const shape = [3, channels, ((SHAPE[1] ?? 0) * (SHAPE[2] ?? 0)) / channels]
  const nodes = [
    onnx.node('Cast', ['quantised'], 'cast', { to: FLOAT }),
    onnx.node('Mul', ['cast', 'scale'], 'scaled'),
    onnx.node('Add', ['scaled', 'offset'], 'weights'),
    onnx.node('Conv', ['sound', 'weights', 'bias'], 'result', { strides: [stride] }),
  ].map((node) => bytesField(onnx.GRAPH.node, node))
  const graph = Buffer.concat([
    ...nodes,
    textField(2, 'main'),
    onnx.initializer('quantised', shape, WEIGHTS),
    onnx.initializer('scale', [1], Float32Array.of(0.5)),
    // As if each of the weights were 13 larger.
    onnx.initializer('offset', [1], Float32Array.of(6.5)),
    onnx.initializer('bias', [3], Float32Array.of(1, 2, 3)),
    bytesField(11, value('sound')),
    bytesField(onnx.GRAPH.output, value('result')),
  ])
  return Buffer.concat([numberField(1, 8), bytesField(8, numberField(2, 13)), bytesField(7, graph)])
}

async function resultOf(model: Uint8Array, frames: number) {
  const session = await InferenceSession.create(model, { logSeverityLevel: 3 })
  // Whole numbers up to 127, and one that is as large in each frame, so that rounding to 8 bits changes nothing.
  const sound = Float32Array.from({ length: 2 * frames }, (_, at) =>
    at < frames ? 127 * (((at * 7) % 5) % 2 === 0 ? 1 : -1) : ((at * 91) % 255) - 127,
  )
  const { result } = await session.run({ sound: new Tensor('float32', sound, [1, 2, frames]) })
  return { shape: result?.dims, numbers: Array.from(result?.data as Float32Array, (number) => Math.round(number * 10) / 10) }
}

test.each([
  { stride: 1, frames: 4 },
  { stride: 3, frames: 15 },
  { stride: 3, frames: 17 },
  { stride: 2, frames: 9 },
])('changes no result whose input has 8 bits (stride $stride, $frames frames)', async ({ stride, frames }) => {
  const expected = await resultOf(model(2, stride), frames)
  expect(await resultOf(withByteConvolutions(model(2, stride)), frames)).toEqual(expected)
})

test('leaves no convolution', () => {
  onnx.withGraph(withByteConvolutions(model(2, 3)), (graph) => {
    expect(onnx.nodesOf(graph).map(({ operation }) => operation)).not.toContain('Conv')
    return graph
  })
})

test('rejects a model whose only convolution reads samples of audio', () => {
  expect(() => withByteConvolutions(model(1, 1))).toThrow('not a quantised Moonshine encoder')
})
