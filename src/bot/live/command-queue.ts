// Commands carried out in order, one after another. An interruption does not wait in line, and sends waiting audio home.
import type { Command } from './control-command.ts'

export type Perform = {
  /** Settles when the audio is taken, in the order of the calls. */
  audio(pcm: Buffer, shape: { readonly sampleRate: number; readonly channels: number }): Promise<void>
  /** Also while `audio` is under way. */
  clearAudio(): Promise<void>
  image(bytes: Buffer): Promise<void>
  imageUrl(url: string): Promise<void>
  chat(text: string): Promise<void>
}

type QueueOptions = {
  readonly perform: Perform
  readonly onFailed: (command: Command['kind'], error: unknown) => void
}

const MOST_WAITING = 500
/** Five hundred images would be within the count, and five gigabytes. */
const MOST_WAITING_BYTES = 64 * 1024 * 1024

export class CommandQueue {
  readonly #options: QueueOptions
  #waiting: Command[] = []
  #waitingBytes = 0
  #isBusy = false
  #isEnded = false
  #clearing: Promise<void> | null = null
  #clearAgain = false

  constructor(options: QueueOptions) {
    this.#options = options
  }

  /** False: too many are waiting. */
  take(command: Command): boolean {
    if (command.kind === 'interrupt') {
      this.#interrupt()
      return true
    }
    const bytes = bytesOf(command)
    if (this.#waiting.length >= MOST_WAITING || this.#waitingBytes + bytes > MOST_WAITING_BYTES) return false
    this.#waiting.push(command)
    this.#waitingBytes += bytes
    this.#work()
    return true
  }

  /** Nothing that waits is carried out any more. */
  end(): void {
    this.#isEnded = true
    this.#waiting = []
  }

  #interrupt(): void {
    this.#waiting = this.#waiting.filter(({ kind }) => kind !== 'sendaudio')
    this.#waitingBytes = this.#waiting.reduce((sum, command) => sum + bytesOf(command), 0)
    // Two interruptions while one is under way clear no more than one.
    if (this.#clearing) this.#clearAgain = true
    else this.#clearing = this.#clear()
  }

  async #clear(): Promise<void> {
    do {
      this.#clearAgain = false
      await this.#attempt('interrupt', () => this.#options.perform.clearAudio())
    } while (this.#clearAgain)
    this.#clearing = null
  }

  async #work(): Promise<void> {
    if (this.#isBusy) return
    this.#isBusy = true
    while (this.#waiting.length > 0) {
      // What was said after an interruption must not be cleared by it.
      if (this.#clearing) await this.#clearing
      const command = this.#waiting.shift()
      if (!command) break
      this.#waitingBytes -= bytesOf(command)
      await this.#attempt(command.kind, () => carryOut(this.#options.perform, command))
    }
    this.#isBusy = false
  }

  async #attempt(kind: Command['kind'], action: () => Promise<void>): Promise<void> {
    try {
      await action()
    } catch (error) {
      if (!this.#isEnded) this.#options.onFailed(kind, error)
    }
  }
}

async function carryOut(perform: Perform, command: Command): Promise<void> {
  switch (command.kind) {
    case 'sendaudio':
      return perform.audio(command.pcm, { sampleRate: command.sampleRate, channels: command.channels })
    case 'sendmsg':
    case 'sendchat':
      return perform.chat(command.text)
    case 'sendimg':
      return perform.image(command.bytes)
    case 'sendimg_url':
      return perform.imageUrl(command.url)
    case 'interrupt':
      return perform.clearAudio()
  }
}

function bytesOf(command: Command): number {
  return command.kind === 'sendaudio' ? command.pcm.length : command.kind === 'sendimg' ? command.bytes.length : 0
}
