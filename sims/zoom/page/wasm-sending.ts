/// <reference lib="dom" />
// The page's own microphone or camera, encoded and cut into packets for the media socket.

const HEAD_BYTES = 9
const AUDIO = 1
const CAMERA = 2
const KEY_FRAME_EVERY = 60

type Frames = { readonly readable: ReadableStream<AudioData | VideoFrame> }
declare const MediaStreamTrackProcessor: new (options: { readonly track: MediaStreamTrack }) => Frames
type Encoder = { encode(data: AudioData | VideoFrame): void; close(): void }

/** Returns a function that stops it. */
export function sendTrack(track: MediaStreamTrack, send: (packet: Uint8Array<ArrayBuffer>) => void): () => void {
  const reader = new MediaStreamTrackProcessor({ track }).readable.getReader()
  const output = (kind: number) => (chunk: EncodedAudioChunk | EncodedVideoChunk) => send(packetOf(kind, chunk))
  const encoder = track.kind === 'audio' ? audioEncoder(output(AUDIO)) : videoEncoder(output(CAMERA))
  const run = async () => {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      encoder.encode(next.value)
      next.value.close()
    }
    encoder.close()
  }
  run().catch(() => undefined) // The track or the encoder was closed.
  return () => void reader.cancel()
}

function packetOf(kind: number, chunk: EncodedAudioChunk | EncodedVideoChunk): Uint8Array<ArrayBuffer> {
  const packet = new Uint8Array(HEAD_BYTES + chunk.byteLength)
  packet[0] = kind
  chunk.copyTo(packet.subarray(HEAD_BYTES))
  return packet
}

function audioEncoder(output: (chunk: EncodedAudioChunk) => void): Encoder {
  const encoder = new AudioEncoder({ output, error: () => undefined })
  return {
    encode(data) {
      if (!(data instanceof AudioData)) return
      const { sampleRate, numberOfChannels } = data
      if (encoder.state === 'unconfigured') encoder.configure({ codec: 'opus', sampleRate, numberOfChannels })
      encoder.encode(data)
    },
    close: () => encoder.close(),
  }
}

function videoEncoder(output: (chunk: EncodedVideoChunk) => void): Encoder {
  const encoder = new VideoEncoder({ output, error: () => undefined })
  let frames = 0
  return {
    encode(frame) {
      if (!(frame instanceof VideoFrame)) return
      const { displayWidth: width, displayHeight: height } = frame
      if (encoder.state === 'unconfigured') encoder.configure({ codec: 'vp8', width, height, latencyMode: 'realtime' })
      if (encoder.encodeQueueSize < 2) encoder.encode(frame, { keyFrame: frames++ % KEY_FRAME_EVERY === 0 })
    },
    close: () => encoder.close(),
  }
}
