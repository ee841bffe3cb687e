/// <reference lib="dom" />
// Passes one receiver's frames through the tap: ships each, and replaces video for the page by tiny pictures.
import { NO_LEVEL, type TrackInfo, WIRE_CODECS, type WireCodec, type WireFrame } from '../wire.ts'
import type { CopiedFrame, EncodedFrame, FrameMetadata, TapConfig } from './config.ts'
import { pageNowMs, type Shipper } from './shipper.ts'
import { tinyFrame } from './tiny-frames.ts'

const SILENCE = 127

export class Pipe {
  info: TrackInfo
  /** True: the page gets real pictures from the next key frame on. */
  reveal = false
  readonly #config: TapConfig
  readonly #shipper: Pick<Shipper, 'send' | 'ship'>
  readonly #onFirst: () => void
  #loudest: number | null = null
  #shown = false
  #started = false

  constructor(config: TapConfig, shipper: Pick<Shipper, 'send' | 'ship'>, info: TrackInfo, onFirst: () => void) {
    this.#config = config
    this.#shipper = shipper
    this.info = info
    this.#onFirst = onFirst
  }

  /** For a frame that the page decodes next: audio unchanged, video as a tiny frame. */
  pass(frame: EncodedFrame): void {
    const metadata = frame.getMetadata()
    this.#learnKind(metadata)
    if (metadata.audioLevel !== undefined) this.#loudest = Math.max(this.#loudest ?? 0, metadata.audioLevel)
    this.ship({ data: frame.data, type: frame.type, metadata })
    this.#shrink(frame, metadata)
  }

  /** The level of the loudest packet since the last call, from 0 to 1; null if there was none. */
  takeLevel(): number | null {
    const level = this.#loudest
    this.#loudest = null
    return level
  }

  /** Video becomes a tiny frame. */
  shrink(frame: EncodedFrame): void {
    if (this.info.kind === 'video') this.#shrink(frame, frame.getMetadata())
  }

  #shrink(frame: EncodedFrame, metadata: FrameMetadata): void {
    if (this.info.kind !== 'video') return
    // A decoder that decoded tiny frames needs a key frame to continue.
    this.#shown = this.reveal && (this.#shown || frame.type === 'key')
    const tiny = this.#shown ? null : tinyFrame(codecOf(metadata).name)
    if (tiny) frame.data = tiny
  }

  ship(copied: CopiedFrame): void {
    const { data, metadata } = copied
    const { name, codec } = codecOf(metadata)
    if (!this.#started || name !== this.info.codec) this.#announce(name)
    const bytes = name === 'red' ? primaryOf(new Uint8Array(data)) : new Uint8Array(data)
    // A truncated redundant packet has no payload.
    if (codec && bytes.byteLength > 0 && (this.#config.video || this.info.kind === 'audio'))
      this.#shipper.ship(this.#frame(codec, bytes, copied))
    this.#started = true
  }

  /** A frame may arrive before its track is announced, and names its own kind. */
  #learnKind({ mimeType }: FrameMetadata): void {
    const kind = mimeType?.startsWith('video/') ? 'video' : 'audio'
    if (mimeType && this.info.kind !== kind) this.info = { ...this.info, kind }
  }

  #announce(codec: string): void {
    this.info = { ...this.info, codec }
    this.#shipper.send({ kind: 'track', info: this.info })
    if (!this.#started) this.#onFirst()
  }

  /** Without intermediate objects: a page has hundreds of frames per second. */
  #frame(codec: WireCodec, payload: Uint8Array, { type, metadata, receivedMs = pageNowMs() }: CopiedFrame): WireFrame {
    const contributors = contributorsOf(metadata)
    return {
      kind: this.info.kind,
      track: this.info.number,
      codec,
      key: this.info.kind === 'audio' || type === 'key',
      first: !this.#started,
      rtpTimestamp: metadata.rtpTimestamp ?? 0,
      sequence: metadata.sequenceNumber ?? null,
      ssrc: metadata.synchronizationSource ?? 0,
      csrc: contributors.length === 1 ? (contributors[0] ?? 0) : 0,
      mixes: contributors.length > 1 ? contributors : NO_SOURCES,
      receivedMs,
      audioLevel: levelOf(metadata.audioLevel),
      width: metadata.width ?? 0,
      height: metadata.height ?? 0,
      payload,
    }
  }
}

type NamedCodec = { readonly name: string; readonly codec: WireCodec | undefined }
const codecs = new Map<string, NamedCodec>()

/** `video/VP8` -> `vp8`. A redundant packet has Opus. */
function codecOf({ mimeType = '' }: FrameMetadata): NamedCodec {
  const known = codecs.get(mimeType)
  if (known) return known
  const name = mimeType.split('/')[1]?.toLowerCase() ?? ''
  const found = { name, codec: WIRE_CODECS.find((each) => each === (name === 'red' ? 'opus' : name)) }
  codecs.set(mimeType, found)
  return found
}

/** The browser's level is 0 to 1, the wire's is -dBov. */
function levelOf(level: number | undefined): number {
  if (level === undefined) return NO_LEVEL
  return level <= 0 ? SILENCE : Math.min(SILENCE, Math.round(-20 * Math.log10(level)))
}

const NO_SOURCES: readonly number[] = []

/** The CSRC of the packet's only speaker, or the CSRCs of a mix. */
function contributorsOf({ contributingSources: sources = NO_SOURCES }: FrameMetadata): readonly number[] {
  return sources.length < 2 ? sources : [...new Set(sources)]
}

/**
 * The newest payload of a redundant packet (RFC 2198); the older ones were sent before. Each older payload has a header of four bytes with
 * its length, and the newest has one of a single byte. All payloads follow the headers. A truncated packet gives an empty payload.
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
