/// <reference lib="dom" />
// Media over WebRTC: a peer connection for the page's own devices, and one for each batch of new streams.
import type { StreamNote } from '../call/streams.ts'
import type { Devices, Kind } from './devices.ts'
import { make } from './make.ts'
import type { Media, MediaEvents } from './media.ts'

type Offer = (sdp: string, streams: readonly string[]) => Promise<string | null>
type Batch = { readonly pc: RTCPeerConnection; readonly ids: Set<string> }

export class WebRtcMedia implements Media {
  readonly #events: MediaEvents
  readonly #devices: Devices
  readonly #offer: Offer
  readonly #notes = new Map<string, StreamNote>()
  readonly #batches = new Set<Batch>()
  readonly #sounds = make('div', { id: 'webrtc-audio', hidden: true })
  #own: RTCPeerConnection | null = null
  #senders: Partial<Record<Kind, RTCRtpSender>> = {}
  #isJoined = false

  constructor(devices: Devices, offer: Offer, events: MediaEvents) {
    this.#devices = devices
    this.#offer = offer
    this.#events = events
    document.body.append(this.#sounds)
    devices.onChange(() => this.#sendDevices())
  }

  async join(): Promise<void> {
    this.#isJoined = true
    await Promise.all([this.#sendOwn(), this.#receive([...this.#notes.values()])])
  }

  add(notes: readonly StreamNote[]): void {
    for (const note of notes) this.#notes.set(note.id, note)
    if (this.#isJoined) void this.#receive(notes)
  }

  remove(ids: readonly string[]): void {
    for (const id of ids) {
      const note = this.#notes.get(id)
      this.#notes.delete(id)
      if (note && !isAudible(note)) this.#events.onPictureGone(note)
      for (const audio of this.#sounds.querySelectorAll('audio')) if (audio.dataset.stream === id) audio.remove()
      for (const batch of this.#batches) this.#forget(batch, id)
    }
  }

  restart(): void {
    this.#close()
    this.#notes.clear()
    if (this.#isJoined) void this.#sendOwn()
  }

  suspend(): void {
    this.#isJoined = false
    this.#close()
    this.#notes.clear()
  }

  close(): void {
    this.#close()
    this.#sounds.remove()
  }

  #close(): void {
    this.#own?.close()
    for (const { pc } of this.#batches) pc.close()
    this.#batches.clear()
    this.#sounds.replaceChildren()
  }

  async #sendOwn(): Promise<void> {
    const pc = new RTCPeerConnection({ bundlePolicy: 'max-bundle' })
    this.#own = pc
    this.#senders = {
      microphone: pc.addTransceiver('audio', { direction: 'sendonly' }).sender,
      camera: pc.addTransceiver('video', { direction: 'sendonly' }).sender,
    }
    this.#sendDevices()
    await this.#negotiate(pc, [])
  }

  async #receive(notes: readonly StreamNote[]): Promise<void> {
    if (notes.length === 0) return
    const pc = new RTCPeerConnection({ bundlePolicy: 'max-bundle' })
    const batch = { pc, ids: new Set(notes.map(({ id }) => id)) }
    this.#batches.add(batch)
    for (const note of notes) pc.addTransceiver(isAudible(note) ? 'audio' : 'video', { direction: 'recvonly' })
    pc.ontrack = ({ track, streams: [stream] }) => {
      if (stream) this.#play(track, stream)
    }
    await this.#negotiate(
      pc,
      notes.map(({ id }) => id),
    )
  }

  async #negotiate(pc: RTCPeerConnection, streams: readonly string[]): Promise<void> {
    await pc.setLocalDescription(await pc.createOffer())
    const sdp = await this.#offer(pc.localDescription?.sdp ?? '', streams)
    if (sdp !== null && pc.signalingState !== 'closed') await pc.setRemoteDescription({ type: 'answer', sdp })
  }

  #play(track: MediaStreamTrack, stream: MediaStream): void {
    const note = this.#notes.get(stream.id)
    if (!note) return
    if (track.kind === 'audio') {
      const audio = make('audio', { autoplay: true, 'data-stream': stream.id }) as HTMLAudioElement
      audio.srcObject = stream
      this.#sounds.append(audio)
      return
    }
    const video = make('video', { autoplay: true, playsinline: true }) as HTMLVideoElement
    video.muted = true
    video.srcObject = stream
    this.#events.onPicture(note, video)
  }

  /** A connection whose streams are all gone is closed. */
  #forget(batch: Batch, id: string): void {
    if (!batch.ids.delete(id) || batch.ids.size > 0) return
    batch.pc.close()
    this.#batches.delete(batch)
  }

  #sendDevices(): void {
    for (const kind of ['microphone', 'camera'] as const) void this.#senders[kind]?.replaceTrack(this.#devices.track(kind))
  }
}

function isAudible({ kind }: StreamNote): boolean {
  return kind === 'audio' || kind === 'mix'
}
