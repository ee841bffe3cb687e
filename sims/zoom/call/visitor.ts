// A page in the call: its connections, the socket of its wasm media, and the media that it has sent.
import { AudioSink, VideoSink } from '../../webrtc/received.ts'
import type { Connection } from './connection.ts'
import type { Stream } from './streams.ts'

/** Sends encoded media to a page without WebRTC. */
export type MediaSocket = { send(bytes: Buffer): void; close(): void }

/** Header of a media packet: kind, raw id of the stream, RTP timestamp. */
const HEAD_BYTES = 9
const PACKET_KINDS = { audio: 1, camera: 2, share: 3, mix: 0 } as const

const SAMPLES_PER_TICK = 960
const VIDEO_CLOCK_PER_TICK = 1_800
/** A VP8 payload descriptor of one byte: the start of a frame. */
const VP8_START = Buffer.from([0x10])

type Shown = { frame: number; picture: Stream['picture'] }

export class Visitor {
  readonly userId: number
  readonly receivedAudio = new AudioSink()
  readonly receivedVideo = new VideoSink()
  readonly #connections = new Set<Connection>()
  readonly #shown = new Map<Stream, Shown>()
  #socket: MediaSocket | null = null
  #sequence = 0

  constructor(userId: number) {
    this.userId = userId
  }

  connect(connection: Connection): void {
    this.#connections.add(connection)
  }

  openSocket(socket: MediaSocket): void {
    this.#socket = socket
    this.#shown.clear()
  }

  closeSocket(socket: MediaSocket): void {
    if (this.#socket === socket) this.#socket = null
  }

  /** A packet of the page's own devices. */
  receivePacket(packet: Buffer): void {
    const payload = packet.subarray(HEAD_BYTES)
    if (packet[0] === PACKET_KINDS.audio) return void this.receivedAudio.add(payload, null)
    const sequence = this.#sequence++ & 0xffff
    this.receivedVideo.add({ sequence, timestamp: sequence, marker: true, payload: Buffer.concat([VP8_START, payload]) })
  }

  send(tick: number, hasPictures: boolean, streams: Iterable<Stream>): void {
    for (const connection of this.#connections) {
      connection.sendAudio(tick)
      if (hasPictures) connection.sendPictures(tick)
    }
    if (this.#socket) for (const stream of streams) this.#sendPacket(stream, tick, hasPictures)
  }

  async disconnect(): Promise<void> {
    const connections = [...this.#connections]
    this.#connections.clear()
    this.#socket?.close()
    this.#socket = null
    await Promise.all(connections.map((connection) => connection.close()))
  }

  #sendPacket(stream: Stream, tick: number, hasPictures: boolean): void {
    const payload = stream.kind === 'audio' ? stream.sound?.opus : hasPictures ? this.#nextFrame(stream) : undefined
    if (!payload) return
    const head = Buffer.alloc(HEAD_BYTES)
    head.writeUInt8(PACKET_KINDS[stream.kind])
    head.writeUInt32LE(stream.rawId, 1)
    head.writeUInt32LE((tick * (stream.kind === 'audio' ? SAMPLES_PER_TICK : VIDEO_CLOCK_PER_TICK)) >>> 0, 5)
    this.#socket?.send(Buffer.concat([head, payload]))
  }

  #nextFrame(stream: Stream): Buffer | undefined {
    const { picture } = stream
    if (!picture) return undefined
    const known = this.#shown.get(stream)
    const shown = known?.picture === picture ? known : { frame: 0, picture }
    const frame = picture.frames[shown.frame]
    shown.frame = (shown.frame + 1) % picture.frames.length
    this.#shown.set(stream, shown)
    return frame
  }
}
