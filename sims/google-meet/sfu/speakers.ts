// Who speaks, as the server tells it on the `dcrpc` channel: only when that changes, and a moment after it has.
import { gzipSync } from 'node:zlib'
import { SPEECH_LEVEL } from './lanes.ts'
import { type Field, message } from './protobuf.ts'

const PAUSE_MS = 600

export const KEEP_ALIVE = message([1, message()])

export class Speakers {
  readonly #tell: (bytes: Buffer) => void
  readonly #heardAtMs = new Map<string, number>()

  constructor(tell: (bytes: Buffer) => void) {
    this.#tell = tell
  }

  heard(deviceId: string, level: number, nowMs: number): void {
    if (level >= SPEECH_LEVEL) return
    const isNew = !this.#heardAtMs.has(deviceId)
    this.#heardAtMs.set(deviceId, nowMs)
    if (isNew) this.#tell(speakingMessage(deviceId, true))
  }

  tick(nowMs: number): void {
    for (const [deviceId, atMs] of this.#heardAtMs) {
      if (nowMs - atMs < PAUSE_MS) continue
      this.#heardAtMs.delete(deviceId)
      this.#tell(speakingMessage(deviceId, false))
    }
  }
}

function speakingMessage(deviceId: string, speaks: boolean): Buffer {
  const numericId = Number(deviceId.split('/').at(-1))
  const record: Field = [4, message([4, deviceId], [8, numericId], [9, message([2, speaks ? 1 : undefined])])]
  return message([2, gzipSync(message([2, message([2, message(record)])]))])
}
