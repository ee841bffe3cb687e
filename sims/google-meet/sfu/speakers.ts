// The server's messages about speakers on the `dcrpc` channel: only changes, a moment after they happen.
import { gzipSync } from 'node:zlib'
import { SPEECH_LEVEL } from './lanes.ts'
import { type Field, message } from './protobuf.ts'
import type { SpaceOptions } from './types.ts'

const PAUSE_MS = 600

export const KEEP_ALIVE = message([1, message()])

type Speaker = { readonly deviceId: string; readonly source: number }

export class Speakers {
  readonly #by: SpaceOptions['speakersBy']
  readonly #notify: (bytes: Buffer) => void
  readonly #spoke = new Map<string, Speaker & { readonly atMs: number }>()

  constructor(by: SpaceOptions['speakersBy'], notify: (bytes: Buffer) => void) {
    this.#by = by
    this.#notify = notify
  }

  onAudio(speaker: Speaker, level: number, nowMs: number): void {
    if (level >= SPEECH_LEVEL) return
    const before = this.#spoke.get(speaker.deviceId)
    this.#spoke.set(speaker.deviceId, { ...speaker, atMs: nowMs })
    if (before?.source === speaker.source) return
    if (before) this.#send(before, false)
    this.#send(speaker, true)
  }

  tick(nowMs: number): void {
    for (const [deviceId, speaker] of this.#spoke) {
      if (nowMs - speaker.atMs < PAUSE_MS) continue
      this.#spoke.delete(deviceId)
      this.#send(speaker, false)
    }
  }

  #send({ deviceId, source }: Speaker, speaks: boolean): void {
    if (this.#by === 'nothing') return
    const path = this.#by === 'stream' ? undefined : deviceId
    const record: Field = [4, message([4, path], [8, source], [9, message([2, speaks ? 1 : undefined])])]
    this.#notify(message([2, gzipSync(message([2, message([2, message(record)])]))]))
  }
}
