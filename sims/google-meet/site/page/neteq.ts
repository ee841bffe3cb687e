/// <reference lib="dom" />
// The other media path: the page takes the encoded audio frames, decodes them and mixes them in an AudioWorklet. It writes nothing back, so the browser's own decoder is silent and knows no CSRCs.
import type { Decoded } from './neteq-worklet.ts'

type Frame = { data: ArrayBuffer; getMetadata(): Metadata }
type Metadata = { readonly mimeType?: string; readonly contributingSources?: readonly number[]; readonly audioLevel?: number }
type Streams = { readonly readable: ReadableStream<Frame>; readonly writable: WritableStream<Frame> }
type WithStreams = { createEncodedStreams(): Streams }

const RATE = 48_000
const FRAME_US = 20_000
const FRESH_MS = 300
const AUDIBLE = 0.01

export class NetEq {
  /** False: frames are written back, and the browser decodes them. */
  keeps: boolean
  readonly #context = new AudioContext({ sampleRate: RATE })
  readonly #output = new MediaStreamAudioDestinationNode(this.#context, { channelCount: 1 })
  readonly #audible = new Map<number, { readonly level: number; readonly atMs: number }>()
  #player: AudioWorkletNode | null = null
  #lanes = 0

  constructor(keeps: boolean) {
    this.keeps = keeps
    this.#start().catch((error: unknown) => console.error('The sound cannot be played', error))
  }

  /** One track for all lanes, which belongs to no receiver. */
  get stream(): MediaStream {
    return this.#output.stream
  }

  /** Called at once when the receiver exists, because the browser refuses it a moment later. */
  take(receiver: RTCRtpReceiver): void {
    const lane = this.#lanes++
    const { readable, writable } = (receiver as unknown as WithStreams).createEncodedStreams()
    const decoder = this.#decoderOf(lane)
    this.#read(readable.getReader(), writable.getWriter(), decoder).catch(() => undefined) // The connection is closed.
  }

  /** CSRCs that sound now, with their levels. */
  levels(): ReadonlyMap<number, number> {
    const now = performance.now()
    return new Map(
      [...this.#audible].filter(([, it]) => now - it.atMs < FRESH_MS && it.level >= AUDIBLE).map(([it, { level }]) => [it, level]),
    )
  }

  close(): void {
    void this.#context.close()
  }

  async #start(): Promise<void> {
    await this.#context.audioWorklet.addModule('/_/assets/page/neteq-worklet.ts')
    this.#player = new AudioWorkletNode(this.#context, 'meet-neteq-processor', { numberOfInputs: 0, outputChannelCount: [1] })
    this.#player.connect(this.#output)
    await this.#context.resume()
  }

  async #read(
    reader: ReadableStreamDefaultReader<Frame>,
    writer: WritableStreamDefaultWriter<Frame>,
    decoder: (opus: Uint8Array<ArrayBuffer>) => void,
  ): Promise<void> {
    for (;;) {
      const { value: frame, done } = await reader.read()
      if (done) return
      if (this.keeps) this.#receive(frame, decoder)
      else await writer.write(frame)
    }
  }

  #receive(frame: Frame, decode: (opus: Uint8Array<ArrayBuffer>) => void): void {
    const { mimeType, contributingSources: [source] = [], audioLevel: level = 0 } = frame.getMetadata()
    if (source !== undefined) this.#audible.set(source, { level, atMs: performance.now() })
    const bytes = new Uint8Array(frame.data)
    decode(mimeType === 'audio/red' ? newestOf(bytes) : bytes)
  }

  #decoderOf(lane: number): (opus: Uint8Array<ArrayBuffer>) => void {
    const decoder = new AudioDecoder({
      output: (sound) => {
        const samples = new Float32Array(sound.numberOfFrames)
        sound.copyTo(samples, { planeIndex: 0, format: 'f32-planar' })
        sound.close()
        this.#player?.port.postMessage({ lane, samples } satisfies Decoded, [samples.buffer])
      },
      error: (error) => console.error('A frame cannot be decoded', error),
    })
    decoder.configure({ codec: 'opus', sampleRate: RATE, numberOfChannels: 1 })
    let count = 0
    return (data) => {
      if (decoder.state === 'configured') decoder.decode(new EncodedAudioChunk({ type: 'key', timestamp: FRAME_US * count++, data }))
    }
  }
}

/** The last block of a redundant packet (RFC 2198). */
function newestOf(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  let [at, earlier] = [0, 0]
  for (; ((bytes[at] ?? 0) & 0x80) !== 0; at += 4) earlier += (((bytes[at + 2] ?? 0) & 3) << 8) + (bytes[at + 3] ?? 0)
  return bytes.subarray(at + 1 + earlier)
}

/** On a connection for encoded streams, frames that are not forwarded are neither played nor sent. */
export function forward(end: RTCRtpReceiver | RTCRtpSender): void {
  const { readable, writable } = (end as unknown as WithStreams).createEncodedStreams()
  readable.pipeTo(writable).catch(() => undefined) // The connection is closed.
}
