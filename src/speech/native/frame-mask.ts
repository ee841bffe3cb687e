// Lets the Moonshine decoder ignore frames of audio, by editing the ONNX model in memory. The segments of a batch have the length
// of the longest one.
import { bytesField, withFields } from '../../kit/protobuf.ts'
import { CROSS_ATTENTION } from './attention-outputs.ts'
import * as onnx from './onnx-model.ts'

/** An input of the model: 0 for a frame of a segment, `IGNORED` for one after its end. */
export const FRAME_MASK = 'frame_mask'
export const IGNORED = -1e9

/** The mask is added to the scores of which the attention is made. */
export function withFrameMask(model: Uint8Array): Buffer {
  return onnx.withGraph(model, (graph) => {
    const masked = onnx.withIfs(graph, (node) => onnx.withBranches(node, (branch) => onnx.withNodes(branch, maskedAttention)))
    return Buffer.concat([masked, bytesField(onnx.GRAPH.input, onnx.floatTensor(FRAME_MASK))])
  })
}

function maskedAttention({ inputs: [scores = ''], output, whole }: onnx.Node): readonly Buffer[] | null {
  if (!CROSS_ATTENTION.test(output)) return null
  const masked = `${scores}.masked`
  const attention = withFields(whole, (_, field) => (field === onnx.NODE.input ? Buffer.from(masked) : null))
  return [onnx.node('Add', [scores, FRAME_MASK], masked), attention]
}
