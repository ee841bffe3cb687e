// Adds the cross-attention of the Moonshine decoder to its outputs, by editing the ONNX model in memory.
import { bytesField, textField } from '../../kit/protobuf.ts'
import * as onnx from './onnx-model.ts'

export const CROSS_ATTENTION = /\/layers\.\d+\/encoder_attn\/Softmax_output_0$/

export const attentionOutput = (layer: number | ''): string => `attention.${layer}`

/** The decoder has an If node with two branches, with and without a cache. Tensors that both branches compute can be made its outputs. */
export function withAttentionOutputs(model: Uint8Array): Buffer {
  let layers = 0
  const changed = onnx.withGraph(model, (graph) => {
    const withOutputs = onnx.withIfs(graph, (node) => {
      const names = attentionNames(node)
      layers = names.length
      return withBranchOutputs(node, names)
    })
    return Buffer.concat([withOutputs, ...layerNames(layers).map((name) => bytesField(onnx.GRAPH.output, onnx.floatTensor(name)))])
  })
  if (layers === 0) throw new Error('The decoder has no cross-attention outputs: the file is not a merged Moonshine decoder.')
  return changed
}

function layerNames(layers: number): readonly string[] {
  return Array.from({ length: layers }, (_, layer) => attentionOutput(layer))
}

/** The same order for both branches. The order of the layers does not matter, because their mean is used. */
function attentionNames(node: Uint8Array): readonly string[] {
  const nodes = onnx.branchesOf(node).flatMap((graph) => onnx.payloadsOf(graph, onnx.GRAPH.node))
  const names = nodes.map((inner) => onnx.textsOf(inner, onnx.NODE.output)[0] ?? '').filter((name) => CROSS_ATTENTION.test(name))
  return [...new Set(names)]
}

/** Outputs are matched by order, and protobuf allows appending to a repeated field. */
function withBranchOutputs(node: Uint8Array, names: readonly string[]): Buffer {
  const outputs = names.map((name) => bytesField(onnx.GRAPH.output, onnx.floatTensor(name)))
  const changed = onnx.withBranches(node, (graph) => Buffer.concat([graph, ...outputs]))
  return Buffer.concat([changed, ...layerNames(names.length).map((name) => textField(onnx.NODE.output, name))])
}
