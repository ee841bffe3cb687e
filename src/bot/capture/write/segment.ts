// One segment of a track: turns frames into a Matroska file and the facts that the manifest records of it.
import path from 'node:path'
import type { Codec, SegmentClosed, SegmentOpened, SyncedSegment } from '../../../domain/recording.ts'
import { PacketWriter, streamStart, trackHead } from '../../../kit/matroska/writer.ts'
import { MATROSKA_CODECS, OPUS_CHANNELS, OPUS_RATE, storedFrame } from '../codec.ts'
import { GrowingFile, type MemoryBudget } from './growing-file.ts'

type SegmentPlan = Omit<SegmentOpened, 'fact' | 'file'> & { readonly codecPrivate: Uint8Array | null }
export type SegmentFrame = { readonly atMs: number; readonly durationMs: number; readonly key: boolean; readonly payload: Uint8Array }

export class Segment {
  readonly opened: SegmentOpened
  readonly #file: GrowingFile
  readonly #writer: MatroskaWriter | null
  #extent = { endMs: 0, bytes: 0, frames: 0, keyFrames: 0 }

  constructor(folder: string, budget: MemoryBudget, { codecPrivate, ...plan }: SegmentPlan) {
    const file = `${plan.trackId}-${String(plan.index).padStart(5, '0')}.${plan.codec === 'webm' ? 'webm' : 'mkv'}`
    this.opened = { fact: 'opened', file, ...plan }
    this.#extent.endMs = plan.startMs
    this.#file = new GrowingFile(path.join(folder, file), budget)
    const { codec, width, height } = plan
    this.#writer = codec === 'webm' ? null : new MatroskaWriter({ codec, width, height, codecPrivate })
  }

  ageMs(atMs: number): number {
    return atMs - this.opened.startMs
  }

  /** False if the memory is full. */
  append({ atMs, durationMs, key, payload }: SegmentFrame): boolean {
    const bytes = this.#writer?.frame(atMs, key, payload) ?? payload
    if (!this.#file.append(bytes)) return false
    const { bytes: before, frames, keyFrames } = this.#extent
    this.#extent = {
      endMs: Math.round(atMs + durationMs),
      bytes: before + bytes.byteLength,
      frames: frames + 1,
      keyFrames: keyFrames + (key ? 1 : 0),
    }
    return true
  }

  /** Resolves with the extent that is on the disk. */
  async sync(): Promise<SyncedSegment> {
    const { trackId, index } = this.opened
    const synced = { trackId, index, ...this.#extent }
    await this.#file.sync()
    return synced
  }

  /** `untilMs` is the time of the next frame, or of the end of the recording. It bounds the duration of the last frame. */
  async close(untilMs?: number): Promise<SegmentClosed> {
    const endMs = Math.max(this.opened.startMs, Math.round(Math.min(this.#extent.endMs, untilMs ?? Number.POSITIVE_INFINITY)))
    await this.#file.close()
    return { ...this.opened, ...this.#extent, endMs, fact: 'segment' }
  }
}

type MatroskaTrack = Pick<SegmentPlan, 'width' | 'height' | 'codecPrivate'> & { readonly codec: Exclude<Codec, 'webm'> }

/** Turns frames into bytes to append. Times are whole milliseconds of the session clock, so each file carries its place in the session. */
export class MatroskaWriter {
  readonly #codec: Codec
  readonly #writer: PacketWriter
  /** Written before the first frame. */
  #start: readonly Uint8Array[]

  constructor({ codec, width, height, codecPrivate }: MatroskaTrack) {
    const shape = codec === 'opus' ? { rate: OPUS_RATE, channels: OPUS_CHANNELS } : { width, height }
    const head = trackHead({ codec: MATROSKA_CODECS[codec], codecPrivate, ...shape })
    this.#codec = codec
    this.#writer = new PacketWriter(head)
    this.#start = [streamStart(head)]
  }

  /** The bytes of one frame, with the file and cluster headers before it if needed. Frames must come in order of time. */
  frame(atMs: number, key: boolean, payload: Uint8Array): Uint8Array {
    const packet = { atMs: Math.max(0, Math.round(atMs)), key, data: storedFrame(this.#codec, payload) }
    const bytes = Buffer.concat([...this.#start, ...this.#writer.packet(packet)])
    this.#start = []
    return bytes
  }
}
