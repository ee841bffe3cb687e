// The messages between a recogniser and its worker process.
import type { LiveResult, Utterance } from '../provider.ts'

/** The model files and the number of threads. */
export type WorkerSetup = {
  readonly voiceActivity: string
  /** Null: the operator's own model in the folder `ownModel` is used. */
  readonly moonshine: { readonly encoder: string; readonly decoder: string } | null
  readonly ownModel: string | null
  readonly threads: number
}

/** `job` is a number that the recogniser counts up. */
export type ToWorker =
  | { readonly kind: 'setup'; readonly setup: WorkerSetup }
  | { readonly kind: 'transcribe'; readonly job: number; readonly file: string }
  | { readonly kind: 'open'; readonly job: number }
  | { readonly kind: 'audio'; readonly job: number; readonly pcm: Int16Array; readonly at: number }
  | { readonly kind: 'end'; readonly job: number }
  | { readonly kind: 'stop'; readonly job: number }

export type FromWorker =
  /** A sign of life during a long job. */
  | { readonly kind: 'progress'; readonly job: number }
  | { readonly kind: 'utterance'; readonly job: number; readonly utterance: Utterance }
  | { readonly kind: 'result'; readonly job: number; readonly result: LiveResult }
  | { readonly kind: 'done'; readonly job: number; readonly engine: string }
  | { readonly kind: 'failed'; readonly job: number; readonly message: string; readonly retryable: boolean; readonly detail: string }
