// The server's messages about speakers on the `dcrpc` channel: only changes, a moment after they happen.
import { gzipSync } from 'node:zlib'
import { SPEECH_LEVEL } from './lanes.ts'
import { type Field, message } from './protobuf.ts'

const PAUSE_MS = 600

export const KEEP_ALIVE = message([1, message()])

export class Speakers {
  readonly #notify: (bytes: Buffer) => void
  readonly #spokeAtMs = new Map<string, number>()

  constructor(notify: (bytes: Buffer) => void) {
    this.#notify = notify
  }

  onAudio(deviceId: string, level: number, nowMs: number): void {
    if (level >= SPEECH_LEVEL) return
    const isNew = !this.#spokeAtMs.has(deviceId)
    this.#spokeAtMs.set(deviceId, nowMs)
    if (isNew) this.#notify(speakingMessage(deviceId, true))
  }

  tick(nowMs: number): void {
    for (const [deviceId, atMs] of this.#spokeAtMs) {
      if (nowMs - atMs < PAUSE_MS) continue
      this.#spokeAtMs.delete(deviceId)
      this.#notify(speakingMessage(deviceId, false))
    }
  }
}

function speakingMessage(deviceId: string, speaks: boolean): Buffer {
  const numericId = Number(deviceId.split('/').at(-1))
  const record: Field = [4, message([4, deviceId], [8, numericId], [9, message([2, speaks ? 1 : undefined])])]
  return message([2, gzipSync(message([2, message([2, message(record)])]))])
}
