/// <reference lib="dom" />
// Reads contributing sources from encoded frames that the page takes from its receivers: the browser then reports none.

type Frame = { getMetadata(): { readonly contributingSources?: readonly number[]; readonly audioLevel?: number } }
type Streams = { readonly readable: ReadableStream<Frame>; readonly writable: WritableStream<Frame> }
type WithStreams = { createEncodedStreams?: (this: RTCRtpReceiver) => Streams }

/** `onFrame`: the sources of one packet, and its level. */
export function followFrames(onFrame: (sources: readonly number[], level: number | null) => void): void {
  const prototype = RTCRtpReceiver.prototype as unknown as WithStreams
  const native = prototype.createEncodedStreams
  if (!native) return
  prototype.createEncodedStreams = function (this: RTCRtpReceiver) {
    const streams = native.call(this)
    if (this.track.kind !== 'audio') return streams
    const looking = new TransformStream<Frame, Frame>({
      transform(frame, controller) {
        const { contributingSources = [], audioLevel = null } = frame.getMetadata()
        onFrame(contributingSources, audioLevel)
        controller.enqueue(frame)
      },
    })
    return { readable: streams.readable.pipeThrough(looking), writable: streams.writable }
  }
}
