// Speech recognised on this server: after the call and while it runs, by processes of its own that give way to everything else.
import { existsSync } from 'node:fs'
import type { JsonObject } from '../../domain/bot.ts'
import { languageProblem } from '../../domain/speech-languages.ts'
import { modelFiles } from '../models.ts'
import {
  type Heard,
  type LiveEar,
  type LiveRecogniser,
  type LiveStream,
  type Recogniser,
  SpeechFailed,
  type Utterance,
} from '../provider.ts'
import { Crew } from './crew.ts'
import type { Equipment, FromWorker } from './wire.ts'

export type NativeOptions = {
  /** Where `emissary models install` has put the weights. */
  readonly modelsFolder: string
  /** Weights of the user's own instead: a folder with a `model.json`. */
  readonly ownModel?: string | undefined
  /** Recordings that are listened to side by side, each by one thread. */
  readonly processes?: number
  readonly idleMs?: number
}

type Sound = Parameters<Recogniser['transcribe']>[0]

/** Live words are wanted now, recordings can wait; both give way to the bots. */
const NICE = { live: 5, files: 15 } as const
const IDLE_MS = 60_000
/** Even on a machine that is busy with other things, a worker says by then that it still lives. */
const STALLED_MS = 300_000

export class NativeSpeech implements Recogniser, LiveRecogniser {
  readonly #options: NativeOptions
  readonly #files: Crew
  readonly #live: Crew

  constructor(options: NativeOptions) {
    this.#options = options
    const equipment = equipmentOf(options)
    const idleMs = options.idleMs ?? IDLE_MS
    this.#files = new Crew({ equipment, nice: NICE.files, mostProcesses: options.processes ?? 1, idleMs })
    this.#live = new Crew({ equipment, nice: NICE.live, mostProcesses: 1, idleMs })
  }

  /** The processes under way, for who measures or ends them. */
  get pids(): { readonly files: readonly number[]; readonly live: readonly number[] } {
    return { files: this.#files.pids, live: this.#live.pids }
  }

  async transcribe({ file }: Sound, options: JsonObject, signal: AbortSignal): Promise<Heard> {
    signal.throwIfAborted()
    const problem = this.#problem(options)
    if (problem) throw problem
    return new Promise((resolve, reject) => {
      const utterances: Utterance[] = []
      const give = (settle: () => void): void => {
        clearTimeout(stalled)
        signal.removeEventListener('abort', onAbort)
        settle()
      }
      const fail = (error: unknown): void => give(() => reject(error))
      const job = this.#files.begin({
        told: (message) => {
          stalled.refresh()
          if (message.kind === 'utterance') utterances.push(message.utterance)
          if (message.kind === 'failed') fail(failed(message))
          if (message.kind === 'done') give(() => resolve({ utterances, raw: { model: message.engine, utterances } }))
        },
        lost: (why) => fail(lost('native', why)),
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

  open(ear: LiveEar, options: JsonObject): LiveStream {
    const problem = this.#problem(options)
    if (problem) {
      queueMicrotask(() => ear.failed(problem))
      return { write: () => undefined, end: async () => undefined }
    }
    const ended = Promise.withResolvers<void>()
    let isOver = false
    const over = (error?: SpeechFailed): void => {
      if (isOver) return
      isOver = true
      if (error) ear.failed(error)
      ended.resolve()
    }
    const job = this.#live.begin({
      told: (message) => {
        if (message.kind === 'heard' && !isOver) ear.heard(message.heard)
        if (message.kind === 'failed') over(failed(message))
        if (message.kind === 'done') over()
      },
      lost: (why) => over(lost('native_streaming', why)),
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

  /** Ends every process; whatever was under way fails. */
  async stop(): Promise<void> {
    await Promise.all([this.#files.stop(), this.#live.stop()])
  }

  /** What can be known before anything is started. */
  #problem(options: JsonObject): SpeechFailed | null {
    const { modelsFolder, ownModel } = this.#options
    const language = languageProblem('native', options, ownModel !== undefined)
    if (language) return new SpeechFailed(`native: ${language.field} ${language.message}`, { passing: false })
    const { encoder, decoder, voiceActivity } = modelFiles(modelsFolder)
    const needed = ownModel === undefined ? [encoder, decoder, voiceActivity] : [voiceActivity]
    if (needed.every((file) => existsSync(file))) return null
    return new SpeechFailed('native: the speech models are not installed on this server: run `emissary models install`', { passing: false })
  }
}

function equipmentOf({ modelsFolder, ownModel }: NativeOptions): Equipment {
  const { encoder, decoder, voiceActivity } = modelFiles(modelsFolder)
  return { voiceActivity, moonshine: ownModel === undefined ? { encoder, decoder } : null, ownModel: ownModel ?? null, threads: 1 }
}

function failed({ message, passing, detail }: FromWorker & { readonly kind: 'failed' }): SpeechFailed {
  return new SpeechFailed(message, { passing, cause: detail })
}

function lost(provider: string, why: string): SpeechFailed {
  return new SpeechFailed(`${provider}: the process that listens ${why}`, { passing: true })
}
