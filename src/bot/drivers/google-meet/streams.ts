// Whose the streams are. They pass from one to another: a person gets a new source after an unmute, and somebody else may get the old one.
import type { DeviceOutput } from './protocol.ts'

export type Stream = { readonly kind: DeviceOutput['kind']; readonly streamId: string; readonly deviceId: string }

export class Streams {
  readonly #outputs = new Map<string, DeviceOutput>()
  readonly #owners = new Map<string, Stream>()

  /** A person has one stream of a kind; the last word about a stream counts. */
  learn(output: DeviceOutput): void {
    const { deviceId, kind, streamId } = output
    const before = this.#outputs.get(`${kind} ${deviceId}`)
    if (before && before.streamId !== streamId) this.#release(before)
    this.#outputs.set(`${kind} ${deviceId}`, output)
    if (streamId !== null) this.#owners.set(`${kind} ${streamId}`, { kind, streamId, deviceId })
  }

  forget(deviceId: string): void {
    for (const kind of ['audio', 'video'] as const) {
      const output = this.#outputs.get(`${kind} ${deviceId}`)
      if (output) this.#release(output)
      this.#outputs.delete(`${kind} ${deviceId}`)
    }
  }

  /** Null where nobody is known to have it. */
  ownerOf(kind: DeviceOutput['kind'], streamId: string): string | null {
    return this.#owners.get(`${kind} ${streamId}`)?.deviceId ?? null
  }

  isOn(deviceId: string, kind: DeviceOutput['kind']): boolean {
    const output = this.#outputs.get(`${kind} ${deviceId}`)
    return output !== undefined && !output.disabled
  }

  all(): readonly Stream[] {
    return [...this.#owners.values()]
  }

  /** Unless somebody else has it by now. */
  #release({ deviceId, kind, streamId }: DeviceOutput): void {
    if (streamId !== null && this.ownerOf(kind, streamId) === deviceId) this.#owners.delete(`${kind} ${streamId}`)
  }
}
