/// <reference lib="dom" />
// Receives messages of the chat service: a bound method that is called with each batch.
import { ASSETS } from '../wire.ts'
import { scenario } from './boot.ts'
import { chatAddress } from './server.ts'

export type ChatMessage = {
  readonly clientMessageId: string
  readonly from: string
  readonly imDisplayName: string
  readonly content: string
  readonly originalArrivalTime: string
  readonly messageType: string
}
type Batch = { readonly chatServiceBatchEvent: readonly { readonly message: ChatMessage }[] }

const SHOWN: ReadonlySet<string> = new Set(['RichText', 'RichText/Html', 'Text', 'RichText/Sms'])

export class ChatPort {
  readonly #worker = new Worker(`${ASSETS}page/chat-worker.ts`, { type: 'module' })
  readonly #onMessage: (message: ChatMessage) => void
  #sleepTimer: ReturnType<typeof setTimeout> | undefined

  constructor(onMessage: (message: ChatMessage) => void) {
    this.#onMessage = onMessage
    this.#worker.onmessage = this.onMessageReceived.bind(this)
    this.#worker.postMessage({ address: new URL(chatAddress(), location.href).href })
    this.#sleepWhenIdle()
  }

  onMessageReceived({ data }: MessageEvent<Batch>): void {
    for (const { message } of data.chatServiceBatchEvent) if (SHOWN.has(message.messageType)) this.#onMessage(message)
  }

  close(): void {
    clearTimeout(this.#sleepTimer)
    this.#worker.terminate()
  }

  /** An idle tab receives nothing until its user moves the mouse. */
  #sleepWhenIdle(): void {
    const { chatSleepsAfterMs } = scenario
    if (chatSleepsAfterMs === null) return
    const wake = () => {
      clearTimeout(this.#sleepTimer)
      this.#worker.postMessage({ isAwake: true })
      this.#sleepTimer = setTimeout(() => this.#worker.postMessage({ isAwake: false }), chatSleepsAfterMs)
    }
    document.addEventListener('mousemove', wake)
    wake()
  }
}
