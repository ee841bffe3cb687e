/// <reference lib="dom" />
// The peer connection of the page: audio lanes, video slots, its own devices, and the data channels.
import type { MediaPath } from '../scenario.ts'
import { boot, scenario } from './boot.ts'
import { devices, type Kind } from './devices.ts'
import { make } from './dom.ts'
import { forward, NetEq } from './neteq.ts'
import { offer } from './server.ts'

export type MediaEvents = {
  readonly collections: (bytes: Uint8Array<ArrayBuffer>) => void
  readonly caption: (bytes: Uint8Array) => void
  readonly assignment: (bytes: Uint8Array) => void
  readonly picture: () => void
}

/** How far a source may lag behind the newest packet, and how loud it must be. */
const FRESH_MS = 50
const AUDIBLE = 0.01

export class Media {
  readonly #events: MediaEvents
  readonly #sounds = make('div', { class: 'sounds' })
  readonly #pictures = new Map<string, MediaStream>()
  #path: MediaPath = scenario.media
  #lanes: MediaStream[] = []
  #played: HTMLAudioElement[] = []
  /** Only if the page takes the frames of its lanes. */
  #neteq: NetEq | null = null
  #pc: RTCPeerConnection | null = null
  #senders: Readonly<Partial<Record<Kind, RTCRtpSender>>> = {}

  constructor(events: MediaEvents) {
    this.#events = events
    devices.onChange(() => this.#sendDevices())
  }

  /** Contains hidden elements that play the lanes. */
  get element(): HTMLElement {
    return this.#sounds
  }

  picture = (streamId: string | null): MediaStream | null => (streamId === null ? null : (this.#pictures.get(streamId) ?? null))

  /** Reconnects if there was a connection. */
  async connect(): Promise<void> {
    this.close()
    this.#events.picture()
    const asks = this.#takesFrames() && scenario.encodedStreams === 'asked_for'
    const pc = new RTCPeerConnection({ bundlePolicy: 'max-bundle', ...(asks && { encodedInsertableStreams: true }) })
    this.#pc = pc
    this.#neteq = this.#takesFrames() ? new NetEq(this.#path === 'neteq') : null
    pc.ontrack = ({ track, streams: [stream] }) => this.#receive(track, stream ?? new MediaStream([track]))
    pc.ondatachannel = ({ channel }) => {
      if (channel.label === 'collections') listenTo(channel, this.#events.collections)
    }
    listenTo(pc.createDataChannel('captions', { ordered: true }), this.#events.caption)
    if (scenario.collectionsBy === 'page') listenTo(pc.createDataChannel('collections', { ordered: true }), this.#events.collections)
    listenTo(pc.createDataChannel('media-director', { ordered: true }), this.#events.assignment)
    this.#addTransceivers(pc, asks)
    this.#sendDevices()
    await pc.setLocalDescription()
    await gathered(pc)
    const sdp = await offer(pc.localDescription?.sdp ?? '')
    if (this.#pc === pc) await pc.setRemoteDescription({ type: 'answer', sdp })
  }

  /** Within the connection if the page has the frames, else over a new one. */
  async change(path: MediaPath): Promise<void> {
    this.#path = path
    if (!this.#neteq) return this.connect()
    this.#neteq.keeps = path === 'neteq'
    this.#playAudio()
  }

  close(): void {
    this.#pc?.close()
    this.#pc = null
    this.#neteq?.close()
    this.#neteq = null
    this.#pictures.clear()
    this.#lanes = []
    this.#playAudio()
  }

  /** CSRCs that sound now, with their levels. */
  levels(): ReadonlyMap<number, number> {
    if (this.#neteq?.keeps) return this.#neteq.levels()
    const receivers = this.#pc?.getReceivers().filter((it) => it.track.kind === 'audio') ?? []
    const levels = new Map<number, number>()
    for (const receiver of receivers) {
      const sources = receiver.getContributingSources()
      const newest = Math.max(...sources.map((it) => it.timestamp))
      for (const { source, audioLevel = 0, timestamp } of sources) {
        if (newest - timestamp <= FRESH_MS && performance.now() - newest < 500 && audioLevel >= AUDIBLE) levels.set(source, audioLevel)
      }
    }
    return levels
  }

  /** `asks`: all encoded frames pass through the page. */
  #addTransceivers(pc: RTCPeerConnection, asks: boolean): void {
    for (let lane = 0; lane < boot.lanes; lane++) {
      const { receiver } = pc.addTransceiver('audio', { direction: 'recvonly' })
      this.#neteq?.take(receiver)
    }
    for (let slot = 0; slot < boot.videoSlots; slot++) {
      const { receiver } = pc.addTransceiver('video', { direction: 'recvonly' })
      if (asks) forward(receiver)
    }
    this.#senders = {
      microphone: pc.addTransceiver('audio', { direction: 'sendonly' }).sender,
      camera: pc.addTransceiver('video', { direction: 'sendonly' }).sender,
    }
    if (asks) for (const sender of Object.values(this.#senders)) forward(sender)
  }

  #takesFrames(): boolean {
    return this.#path === 'neteq' || scenario.takesFrames === 'always'
  }

  #receive(track: MediaStreamTrack, stream: MediaStream): void {
    if (track.kind === 'audio') this.#lanes.push(stream)
    else this.#pictures.set(stream.id, stream)
    if (track.kind === 'audio') this.#playAudio()
    this.#events.picture()
  }

  #playAudio(): void {
    for (const audio of this.#played.splice(0)) audio.srcObject = null
    const hasSound = this.#lanes.length > 0
    for (const stream of this.#neteq?.keeps && hasSound ? [this.#neteq.stream] : this.#lanes) this.#played.push(play(stream))
    this.#sounds.replaceChildren(...(scenario.audioElements ? this.#played : []))
  }

  #sendDevices(): void {
    for (const kind of ['microphone', 'camera'] as const) {
      const sender = this.#senders[kind]
      const track = devices.track(kind)
      if (sender && sender.track !== track) sender.replaceTrack(track).catch(() => undefined) // The call has ended.
    }
  }
}

function play(stream: MediaStream): HTMLAudioElement {
  const audio = new Audio()
  audio.autoplay = true
  audio.hidden = true
  audio.srcObject = stream
  audio.play().catch(() => undefined) // Autoplay waits for the first press.
  return audio
}

function listenTo(channel: RTCDataChannel, onBytes: (bytes: Uint8Array<ArrayBuffer>) => void): void {
  channel.binaryType = 'arraybuffer'
  channel.onmessage = ({ data }) => onBytes(new Uint8Array(data as ArrayBuffer))
}

async function gathered(pc: RTCPeerConnection): Promise<void> {
  while (pc.iceGatheringState !== 'complete') {
    await new Promise((resolve) => pc.addEventListener('icegatheringstatechange', resolve, { once: true }))
  }
}
