/// <reference lib="dom" />
// One receiver's frames on their way through the tap: each is shipped, and a picture nobody looks at is replaced by a tiny one.
import { NO_LEVEL, type TrackNote, WIRE_CODECS, type WireCodec, type WireFrame } from '../wire.ts'
import type { CopiedFrame, EncodedFrame, FrameMetadata, TapConfig } from './config.ts'
import { pageNowMs, type Shipper } from './shipper.ts'
import { tinyFrame } from './tiny-frames.ts'

const SILENCE = 127

export class Pipe {
  note: TrackNote
  /** Real pictures for the page, from the next key frame on. */
  reveal = false
  readonly #config: TapConfig
  readonly #shipper: Pick<Shipper, 'ship' | 'say'>
  readonly #onFirst: () => void
  #shown = false
  #started = false

  constructor(config: TapConfig, shipper: Pick<Shipper, 'ship' | 'say'>, note: TrackNote, onFirst: () => void) {
    this.#config = config
    this.#shipper = shipper
    this.note = note
    this.#onFirst = onFirst
  }

  /** Frames that arrive here are the page's to decode: audio as it is, video as a tiny frame. */
  pass(frame: EncodedFrame): void {
    const metadata = frame.getMetadata()
    this.#learnKind(metadata)
    this.ship({ data: frame.data, type: frame.type, metadata })
    this.shrink(frame)
  }

  shrink(frame: EncodedFrame): void {
    if (this.note.kind !== 'video') return
    // A decoder that was fed tiny frames can only go on from a key frame.
    this.#shown = this.reveal && (this.#shown || frame.type === 'key')
    const tiny = this.#shown ? null : tinyFrame(codecOf(frame.getMetadata()))
    if (tiny) frame.data = tiny
  }

  ship({ data, type, metadata, receivedMs = pageNowMs() }: CopiedFrame): void {
    const name = codecOf(metadata)
    if (!this.#started || name !== this.note.codec) this.#announce(name)
    const codec = WIRE_CODECS.find((each) => each === (name === 'red' ? 'opus' : name))
    const bytes = metadata.mimeType === 'audio/red' ? primaryOf(new Uint8Array(data)) : new Uint8Array(data)
    // Nothing is left of a torn redundant packet.
    if (codec && bytes.byteLength > 0 && (this.#config.video || this.note.kind === 'audio'))
      this.#shipper.ship({ ...this.#frame(codec, bytes, type, metadata), receivedMs })
    this.#started = true
  }

  /** A frame may come before the page has said what its track is; the frame itself knows. */
  #learnKind({ mimeType }: FrameMetadata): void {
    const kind = mimeType?.startsWith('video/') ? 'video' : 'audio'
    if (mimeType && this.note.kind !== kind) this.note = { ...this.note, kind }
  }

  #announce(codec: string): void {
    this.note = { ...this.note, codec }
    this.#shipper.say({ type: 'track', ...this.note })
    if (!this.#started) this.#onFirst()
  }

  #frame(codec: WireCodec, data: Uint8Array, type: string | undefined, metadata: FrameMetadata): Omit<WireFrame, 'receivedMs'> {
    return {
      kind: this.note.kind,
      track: this.note.number,
      codec,
      key: this.note.kind === 'audio' || type === 'key',
      first: !this.#started,
      rtpTimestamp: metadata.rtpTimestamp ?? 0,
      sequence: metadata.sequenceNumber ?? null,
      ssrc: metadata.synchronizationSource ?? 0,
      ...contributorsOf(metadata),
      audioLevel: levelOf(metadata.audioLevel),
      width: metadata.width ?? 0,
      height: metadata.height ?? 0,
      // Copied, because the frame's own buffer goes on to the decoder before the batch is sent.
      payload: data.slice(),
    }
  }
}

/** `video/VP8` -> `vp8`. */
function codecOf({ mimeType }: FrameMetadata): string {
  return mimeType?.split('/')[1]?.toLowerCase() ?? ''
}

/** The page says 0 to 1, the wire -dBov. */
function levelOf(level: number | undefined): number {
  if (level === undefined) return NO_LEVEL
  return level <= 0 ? SILENCE : Math.min(SILENCE, Math.round(-20 * Math.log10(level)))
}

/** Whose the packet is, where it is one person's: a mix of several is nobody's. */
function contributorsOf({ contributingSources = [] }: FrameMetadata): Pick<WireFrame, 'csrc' | 'mixes'> {
  const [first = 0, ...others] = new Set(contributingSources)
  return others.length === 0 ? { csrc: first, mixes: [] } : { csrc: 0, mixes: [first, ...others] }
}

/**
 * The newest of the packets in a redundant one (RFC 2198): the others were sent before. Each of them has a head of four bytes with its
 * length, the newest one of a single byte, and all bodies follow. Nothing is left of a packet that ends before its newest begins.
 */
function primaryOf(data: Uint8Array): Uint8Array {
  let at = 0
  let redundantBytes = 0
  while (((data[at] ?? 0) & 0x80) !== 0) {
    redundantBytes += (((data[at + 2] ?? 0) & 3) << 8) | (data[at + 3] ?? 0)
    at += 4
  }
  return data.subarray(at + 1 + redundantBytes)
}
