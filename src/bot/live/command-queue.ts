// Executes commands in order, one at a time. An interrupt is executed at once and drops queued audio.
import type { Command } from './control-command.ts'

export type CommandActions = {
  /** Resolves when the audio is queued, in the order of the calls. */
  audio(pcm: Buffer, shape: { readonly sampleRate: number; readonly channels: number }): Promise<void>
  /** May be called during `audio`. */
  clearAudio(): Promise<void>
  image(bytes: Buffer): Promise<void>
  imageUrl(url: string): Promise<void>
  chat(text: string): Promise<void>
}

type QueueOptions = {
  readonly perform: CommandActions
  readonly onFailed: (command: Command['kind'], error: unknown) => void
}

const MOST_WAITING = 500
/** Five hundred images of the largest size would be five gigabytes. */
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

  /** False if the queue is full. */
  enqueue(command: Command): boolean {
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

  /** Drops all queued commands. */
  end(): void {
    this.#isEnded = true
    this.#waiting = []
  }

  #interrupt(): void {
    this.#waiting = this.#waiting.filter(({ kind }) => kind !== 'sendaudio')
    this.#waitingBytes = this.#waiting.reduce((sum, command) => sum + bytesOf(command), 0)
    // Interrupts during a clear need only one more clear.
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
      // An interrupt must not clear audio that follows it.
      if (this.#clearing) await this.#clearing
      const command = this.#waiting.shift()
      if (!command) break
      this.#waitingBytes -= bytesOf(command)
      await this.#attempt(command.kind, () => execute(this.#options.perform, command))
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

async function execute(perform: CommandActions, command: Command): Promise<void> {
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
