// What the recogniser and the process that does its work say to each other.
import type { LiveHeard, Utterance } from '../provider.ts'

/** Where the weights lie, and what the process may take. */
export type Equipment = {
  readonly voiceActivity: string
  /** Null: weights of the user's own, in the folder `ownModel`. */
  readonly moonshine: { readonly encoder: string; readonly decoder: string } | null
  readonly ownModel: string | null
  readonly threads: number
}

/** `job` is a number that the asking side counts up. */
export type ToWorker =
  | { readonly kind: 'equip'; readonly equipment: Equipment }
  | { readonly kind: 'transcribe'; readonly job: number; readonly file: string }
  | { readonly kind: 'open'; readonly job: number }
  | { readonly kind: 'audio'; readonly job: number; readonly pcm: Int16Array; readonly at: number }
  | { readonly kind: 'end'; readonly job: number }
  | { readonly kind: 'stop'; readonly job: number }

export type FromWorker =
  /** Still at it. */
  | { readonly kind: 'progress'; readonly job: number }
  | { readonly kind: 'utterance'; readonly job: number; readonly utterance: Utterance }
  | { readonly kind: 'heard'; readonly job: number; readonly heard: LiveHeard }
  | { readonly kind: 'done'; readonly job: number; readonly engine: string }
  | { readonly kind: 'failed'; readonly job: number; readonly message: string; readonly passing: boolean; readonly detail: string }
