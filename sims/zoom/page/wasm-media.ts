/// <reference lib="dom" />
// Media without WebRTC: packets over a socket, sound played by audio nodes, pictures painted on canvases.
import type { StreamKind, StreamNote } from '../call/streams.ts'
import type { Devices, Kind } from './devices.ts'
import { make } from './make.ts'
import type { Media, MediaEvents } from './media.ts'
import { sendTrack } from './wasm-sending.ts'

const HEAD_BYTES = 9
const KINDS: Readonly<Record<number, StreamKind>> = { 1: 'audio', 2: 'camera', 3: 'share' }
const RATE = 48_000
/** The delay from the arrival of a packet to its playback. */
const DELAY_SECONDS = 0.08

type Player = { push(payload: Uint8Array, timestamp: number): void; close(): void }

export class WasmMedia implements Media {
  readonly #url: string
  readonly #devices: Devices
  readonly #events: MediaEvents
  readonly #notes = new Map<string, StreamNote>()
  readonly #players = new Map<number, Player>()
  readonly #sending = new Map<Kind, { readonly track: MediaStreamTrack; readonly stop: () => void }>()
  #socket: WebSocket | null = null
  #mix: { readonly context: AudioContext; readonly gain: GainNode } | null = null

  constructor(url: string, devices: Devices, events: MediaEvents) {
    this.#url = url
    this.#devices = devices
    this.#events = events
    devices.onChange(() => this.#sendDevices())
  }

  join(): Promise<void> {
    const context = new AudioContext({ sampleRate: RATE })
    const gain = new GainNode(context)
    gain.connect(context.destination)
    this.#mix = { context, gain }
    return this.#open()
  }

  add(notes: readonly StreamNote[]): void {
    for (const note of notes) this.#notes.set(note.id, note)
  }

  remove(ids: readonly string[]): void {
    for (const id of ids) {
      const note = this.#notes.get(id)
      this.#notes.delete(id)
      if (!note) continue
      this.#players.get(note.rawId)?.close()
      this.#players.delete(note.rawId)
      if (note.kind !== 'audio') this.#events.onPictureGone(note)
    }
  }

  restart(): void {
    this.#notes.clear()
    for (const player of this.#players.values()) player.close()
    this.#players.clear()
    if (this.#mix) void this.#open()
  }

  suspend(): void {
    for (const { stop } of this.#sending.values()) stop()
    this.#sending.clear()
    for (const player of this.#players.values()) player.close()
    this.#players.clear()
    this.#notes.clear()
    this.#socket?.close()
    void this.#mix?.context.close()
    this.#mix = null
  }

  close(): void {
    this.suspend()
  }

  #open(): Promise<void> {
    this.#socket?.close()
    const socket = new WebSocket(this.#url)
    socket.binaryType = 'arraybuffer'
    socket.onmessage = ({ data }) => this.#receive(new Uint8Array(data as ArrayBuffer))
    this.#socket = socket
    return new Promise((resolve) => {
      socket.onopen = () => {
        this.#sendDevices()
        resolve()
      }
    })
  }

  #receive(packet: Uint8Array): void {
    const view = new DataView(packet.buffer)
    const [kind, rawId] = [KINDS[view.getUint8(0)], view.getUint32(1, true)]
    const note = [...this.#notes.values()].find((it) => it.rawId === rawId && it.kind === kind)
    if (!note) return
    const player = this.#players.get(rawId) ?? this.#newPlayer(note)
    this.#players.set(rawId, player)
    player.push(packet.subarray(HEAD_BYTES), view.getUint32(5, true))
  }

  #newPlayer(note: StreamNote): Player {
    return note.kind === 'audio' ? this.#soundPlayer() : this.#picturePlayer(note)
  }

  #soundPlayer(): Player {
    let playedTo = 0
    const decoder = new AudioDecoder({
      output: (data) => this.#play(data, (at) => (playedTo = Math.max(playedTo, at))),
      error: () => undefined,
    })
    decoder.configure({ codec: 'opus', sampleRate: RATE, numberOfChannels: 1 })
    return {
      push: (data, timestamp) => decoder.decode(new EncodedAudioChunk({ type: 'key', timestamp, data })),
      close: () => decoder.close(),
    }
  }

  /** Each packet is its own audio source, scheduled after the previous one. */
  #play(data: AudioData, playFrom: (earliest: number) => number): void {
    const mix = this.#mix
    if (!mix) return void data.close()
    const buffer = new AudioBuffer({ length: data.numberOfFrames, sampleRate: RATE, numberOfChannels: 1 })
    const samples = new Float32Array(data.numberOfFrames)
    data.copyTo(samples, { planeIndex: 0, format: 'f32-planar' })
    data.close()
    buffer.copyToChannel(samples, 0)
    const source = new AudioBufferSourceNode(mix.context, { buffer })
    source.connect(mix.gain)
    const now = mix.context.currentTime
    const from = playFrom(now)
    source.start(from > now ? from : now + DELAY_SECONDS)
    playFrom((from > now ? from : now + DELAY_SECONDS) + buffer.duration)
  }

  #picturePlayer(note: StreamNote): Player {
    const canvas = make('canvas', { width: '320', height: '180' }) as HTMLCanvasElement
    const brush = canvas.getContext('2d')
    const decoder = new VideoDecoder({
      output: (frame) => {
        Object.assign(canvas, canvas.width === frame.displayWidth ? {} : { width: frame.displayWidth, height: frame.displayHeight })
        brush?.drawImage(frame, 0, 0)
        frame.close()
      },
      error: () => undefined,
    })
    decoder.configure({ codec: 'vp8' })
    this.#events.onPicture(note, canvas)
    return {
      push: (data, timestamp) => {
        const isKey = ((data[0] ?? 1) & 1) === 0
        decoder.decode(new EncodedVideoChunk({ type: isKey ? 'key' : 'delta', timestamp, data }))
      },
      close: () => decoder.close(),
    }
  }

  #sendDevices(): void {
    const socket = this.#socket
    if (socket?.readyState !== WebSocket.OPEN) return
    for (const kind of ['microphone', 'camera'] as const) {
      const track = this.#devices.track(kind)
      const current = this.#sending.get(kind)
      if (current?.track === track) continue
      current?.stop()
      this.#sending.delete(kind)
      if (track) this.#sending.set(kind, { track, stop: sendTrack(track, (packet) => this.#socket?.send(packet)) })
    }
  }
}
