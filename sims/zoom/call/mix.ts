// The audio of all people in one stream, which names none of them. It is encoded from the first page on that receives it.
import { SILENCE, type SoundPacket } from '../../webrtc/encode.ts'
import { OpusEncoder } from '../../webrtc/mixer.ts'
import { levelOf, mixed } from '../../webrtc/pcm.ts'
import { newMix, type Stream } from './streams.ts'

/** Packets that wait before the first one is sent, because the encoder is not always in time. */
const BUFFERED = 5
/** More waiting packets than these would delay the mix. */
const MOST_WAITING = 15

export class Mix {
  readonly stream: Stream = newMix()
  readonly #levels: number[] = []
  readonly #encoded: SoundPacket[] = []
  #encoder: OpusEncoder | null = null
  #isBuffered = false

  open(): Stream {
    this.#encoder ??= new OpusEncoder((opus) => {
      this.#encoded.push({ opus, level: this.#levels.shift() ?? SILENCE.level })
      this.#encoded.splice(0, Math.max(0, this.#encoded.length - MOST_WAITING))
    })
    return this.stream
  }

  /** One packet of each person. A packet of the mix comes out a little later. */
  next(frames: readonly Int16Array[]): void {
    if (!this.#encoder) return
    const sum = mixed(frames)
    this.#levels.push(levelOf(sum))
    this.#encoder.write(sum)
    this.#isBuffered ||= this.#encoded.length >= BUFFERED
    this.stream.sound = (this.#isBuffered ? this.#encoded.shift() : null) ?? null
  }

  async close(): Promise<void> {
    await this.#encoder?.close()
    this.#encoder = null
  }
}
