// Speech recognition on this server, after the call and live, in low-priority recogniser processes.
import { existsSync } from 'node:fs'
import type { JsonObject } from '../../domain/bot.ts'
import { languageProblem } from '../../domain/speech-languages.ts'
import type { NativeSettings } from '../../domain/speech-providers.ts'
import type { Utterance } from '../../domain/transcript.ts'
import { modelFiles } from '../models.ts'
import { type LiveHandler, type LiveRecogniser, type LiveStream, type Recogniser, type Recognition, SpeechFailed } from '../provider.ts'
import type { FromRecogniser } from './recogniser-messages.ts'
import { RecogniserPool } from './recogniser-pool.ts'

export type NativeOptions = NativeSettings & {
  /** How many recordings are transcribed at once, each with one thread. */
  readonly processes?: number
  readonly idleMs?: number
}

type Source = Parameters<Recogniser['transcribe']>[0]

/** Live recognition goes before recordings; both go after the bots. Recordings go before the encoding of videos. */
const NICE = { live: 5, files: 10 } as const
const IDLE_MS = 60_000
/** A recogniser that has sent nothing for this long is stuck, even on a busy machine. */
const STALLED_MS = 300_000

export class NativeSpeech implements Recogniser, LiveRecogniser {
  readonly #options: NativeOptions
  readonly #files: RecogniserPool
  readonly #live: RecogniserPool

  constructor(options: NativeOptions) {
    this.#options = options
    const setup = { ...modelFiles(options.modelsFolder), ownModel: options.ownModel ?? null }
    const idleMs = options.idleMs ?? IDLE_MS
    this.#files = new RecogniserPool({ setup, nice: NICE.files, mostProcesses: options.processes ?? 1, idleMs })
    this.#live = new RecogniserPool({ setup, nice: NICE.live, mostProcesses: 1, idleMs })
  }

  /** For tests and benchmarks. */
  get pids(): { readonly files: readonly number[]; readonly live: readonly number[] } {
    return { files: this.#files.pids, live: this.#live.pids }
  }

  get transcribing(): number {
    return this.#files.busy
  }

  async transcribe({ file }: Source, options: JsonObject, signal: AbortSignal): Promise<Recognition> {
    signal.throwIfAborted()
    const problem = this.#problem(options)
    if (problem) throw problem
    return new Promise((resolve, reject) => {
      const utterances: Utterance[] = []
      const settle = (resolveOrReject: () => void): void => {
        clearTimeout(stalled)
        signal.removeEventListener('abort', onAbort)
        resolveOrReject()
      }
      const fail = (error: unknown): void => settle(() => reject(error))
      const job = this.#files.begin({
        onMessage: (message) => {
          stalled.refresh()
          if (message.kind === 'utterance') utterances.push(message.utterance)
          if (message.kind === 'failed') fail(failed(message))
          if (message.kind === 'done') settle(() => resolve({ utterances, raw: { model: message.engine, utterances } }))
        },
        onLost: (why) => fail(lost('native', why)),
      })
      const giveUp = (error: unknown): void => {
        job.drop()
        fail(error)
      }
      const onAbort = (): void => giveUp(signal.reason)
      const stalled = setTimeout(() => giveUp(lost('native', 'stopped answering')), STALLED_MS)
      signal.addEventListener('abort', onAbort)
      job.send({ kind: 'transcribe', file })
    })
  }

  open(handler: LiveHandler, options: JsonObject): LiveStream {
    const problem = this.#problem(options)
    if (problem) {
      queueMicrotask(() => handler.onFailure(problem))
      return { write: () => undefined, end: async () => undefined }
    }
    const ended = Promise.withResolvers<void>()
    let isOver = false
    const over = (error?: SpeechFailed): void => {
      if (isOver) return
      isOver = true
      if (error) handler.onFailure(error)
      ended.resolve()
    }
    const job = this.#live.begin({
      onMessage: (message) => {
        if (message.kind === 'result' && !isOver) handler.onResult(message.result)
        if (message.kind === 'failed') over(failed(message))
        if (message.kind === 'done') over()
      },
      onLost: (why) => over(lost('native_streaming', why)),
    })
    job.send({ kind: 'open' })
    return {
      write: (pcm, at) => {
        if (!isOver) job.send({ kind: 'audio', pcm, at })
      },
      end: () => {
        if (!isOver) job.send({ kind: 'end' })
        return ended.promise
      },
    }
  }

  /** Stops every process. Unfinished jobs fail. */
  async stop(): Promise<void> {
    await Promise.all([this.#files.stop(), this.#live.stop()])
  }

  /** Problems that are known before a process starts. */
  #problem(options: JsonObject): SpeechFailed | null {
    const { modelsFolder, ownModel } = this.#options
    const language = languageProblem('native', options, ownModel !== undefined)
    if (language) return new SpeechFailed(`native: ${language.field} ${language.message}`, { retryable: false })
    const files = modelFiles(modelsFolder)
    const needed = ownModel === undefined ? Object.values(files) : [files.voiceActivity]
    if (needed.every((file) => existsSync(file))) return null
    return new SpeechFailed('native: the speech models are not installed on this server: run `emissary models install`', {
      retryable: false,
    })
  }
}

function failed({ message, retryable, detail }: FromRecogniser & { readonly kind: 'failed' }): SpeechFailed {
  return new SpeechFailed(message, { retryable, cause: detail })
}

function lost(provider: string, why: string): SpeechFailed {
  return new SpeechFailed(`${provider}: the recognition process ${why}`, { retryable: true })
}
