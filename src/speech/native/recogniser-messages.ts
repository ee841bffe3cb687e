// The messages between the native provider and its recogniser processes.
import type { Utterance } from '../../domain/transcript.ts'
import type { ModelFiles } from '../models.ts'
import type { LiveResult } from '../provider.ts'

/** `ownModel`: the folder of the operator's own model, which is used instead of ours. */
export type RecogniserSetup = ModelFiles & { readonly ownModel: string | null }

/** `job` is a number that the recogniser counts up. */
export type ToRecogniser =
  | { readonly kind: 'setup'; readonly setup: RecogniserSetup }
  | { readonly kind: 'transcribe'; readonly job: number; readonly file: string }
  | { readonly kind: 'open'; readonly job: number }
  | { readonly kind: 'audio'; readonly job: number; readonly pcm: Int16Array; readonly at: number }
  | { readonly kind: 'end'; readonly job: number }
  | { readonly kind: 'stop'; readonly job: number }

export type FromRecogniser =
  /** A sign of life during a long job. */
  | { readonly kind: 'progress'; readonly job: number }
  | { readonly kind: 'utterance'; readonly job: number; readonly utterance: Utterance }
  | { readonly kind: 'result'; readonly job: number; readonly result: LiveResult }
  | { readonly kind: 'done'; readonly job: number; readonly engine: string }
  | { readonly kind: 'failed'; readonly job: number; readonly message: string; readonly retryable: boolean; readonly detail: string }
