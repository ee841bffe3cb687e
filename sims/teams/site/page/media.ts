/// <reference lib="dom" />
// The peer connection: one section for microphone and mixed audio, one for the camera, and those that receive video.
import { boot } from './boot.ts'
import { devices, type Kind } from './devices.ts'
import { make } from './make.ts'
import { offer } from './server.ts'

export type MediaEvents = {
  readonly onMessage: (content: unknown) => void
  /** The data channel is open, or a video has started. */
  readonly onChange: () => void
}

/** The bytes before the JSON of a message. */
const PREFIX = new Uint8Array([0x00, 0x01, 0x00, 0x00, 0x80, 0x03, 0x00, 0x02])
const FRESH_MS = 300
const DIRECTIONS: Readonly<Record<(typeof boot.sections)[number], RTCRtpTransceiverDirection>> = {
  'main-audio': 'sendrecv',
  'redundant-audio': 'recvonly',
  camera: 'sendonly',
  'main-video': 'recvonly',
  'applicationsharing-video': 'recvonly',
}

export class Media {
  readonly element = make('div', { hidden: true })
  readonly #events: MediaEvents
  readonly #pictures = new Map<number, MediaStream>()
  #pc: RTCPeerConnection | null = null
  #channel: RTCDataChannel | null = null
  #senders: Partial<Record<Kind, RTCRtpSender>> = {}
  #streamIds: readonly number[] = []

  constructor(events: MediaEvents) {
    this.#events = events
    devices.onChange(() => this.#sendDevices())
  }

  async connect(): Promise<void> {
    this.close()
    const pc = new RTCPeerConnection({ bundlePolicy: 'max-bundle' })
    this.#pc = pc
    const sections = boot.sections.map((role) =>
      pc.addTransceiver(role.endsWith('audio') ? 'audio' : 'video', { direction: DIRECTIONS[role] }),
    )
    pc.ontrack = ({ track, streams: [stream], transceiver }) => {
      if (stream) this.#receive(track, stream, sections.indexOf(transceiver))
    }
    this.#senders = Object.fromEntries([
      ['microphone', sections[boot.sections.indexOf('main-audio')]?.sender],
      ['camera', sections[boot.sections.indexOf('camera')]?.sender],
    ])
    this.#openChannel(pc)
    this.#sendDevices()
    await pc.setLocalDescription()
    await gathered(pc)
    const sdp = await offer(pc.localDescription?.sdp ?? '')
    this.#streamIds = sourceStreamIds(sdp)
    if (this.#pc === pc) await pc.setRemoteDescription({ type: 'answer', sdp })
  }

  close(): void {
    this.#pc?.close()
    this.#pc = null
    this.#channel = null
    this.#pictures.clear()
    this.element.replaceChildren()
  }

  get isOpen(): boolean {
    return this.#channel?.readyState === 'open'
  }

  send(content: unknown): void {
    const json = new TextEncoder().encode(JSON.stringify(content))
    const message = new Uint8Array(PREFIX.length + json.length)
    message.set(PREFIX)
    message.set(json, PREFIX.length)
    this.#channel?.send(message)
  }

  /** The stream ids of the sections of a role. */
  streamIds(role: (typeof boot.sections)[number]): readonly number[] {
    return this.#streamIds.filter((_, index) => boot.sections[index] === role)
  }

  picture(streamId: number | undefined): MediaStream | null {
    return streamId === undefined ? null : (this.#pictures.get(streamId) ?? null)
  }

  /** Source ids that are in the mixed audio now. */
  speaking(): ReadonlySet<number> {
    const receivers = this.#pc?.getReceivers().filter(({ track }) => track.kind === 'audio') ?? []
    const sources = receivers.flatMap((receiver) => receiver.getContributingSources())
    const now = performance.timeOrigin + performance.now()
    return new Set(sources.filter(({ timestamp }) => age(timestamp, now) < FRESH_MS).map(({ source }) => source))
  }

  #openChannel(pc: RTCPeerConnection): void {
    const channel = pc.createDataChannel('main-channel', { ordered: true })
    channel.binaryType = 'arraybuffer'
    channel.onopen = () => this.#events.onChange()
    channel.onmessage = ({ data }) => {
      const text = new TextDecoder().decode(data as ArrayBuffer)
      this.#events.onMessage(JSON.parse(text.slice(text.search(/[[{]/))))
    }
    this.#channel = channel
  }

  #receive(track: MediaStreamTrack, stream: MediaStream, section: number): void {
    if (track.kind === 'audio') this.element.append(playing(stream))
    else this.#pictures.set(this.#streamIds[section] ?? -1, stream)
    this.#events.onChange()
  }

  #sendDevices(): void {
    for (const kind of ['microphone', 'camera'] as const) {
      const sender = this.#senders[kind]
      const track = devices.track(kind)
      if (sender && sender.track !== track) sender.replaceTrack(track).catch(() => undefined) // The call has ended.
    }
  }
}

/** Chromium counts from the start of the page or from 1970, depending on its version. */
function age(timestamp: number, now: number): number {
  return timestamp > performance.timeOrigin ? now - timestamp : performance.now() - timestamp
}

function playing(stream: MediaStream): HTMLAudioElement {
  const audio = make('audio', { autoplay: true })
  audio.srcObject = stream
  audio.play().catch(() => undefined) // Autoplay waits for the first press.
  return audio
}

function sourceStreamIds(sdp: string): readonly number[] {
  return [...sdp.matchAll(/^a=x-source-streamid:(\d+)/gm)].map(([, id]) => Number(id))
}

async function gathered(pc: RTCPeerConnection): Promise<void> {
  while (pc.iceGatheringState !== 'complete')
    await new Promise((resolve) => pc.addEventListener('icegatheringstatechange', resolve, { once: true }))
}
