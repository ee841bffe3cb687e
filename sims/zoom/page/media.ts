/// <reference lib="dom" />
// The interface of both media paths, WebRTC and wasm, for the rest of the page.
import type { StreamNote } from '../call/streams.ts'

export type MediaEvents = {
  /** A picture to be shown: a video element or a canvas. */
  readonly onPicture: (note: StreamNote, element: HTMLElement) => void
  readonly onPictureGone: (note: StreamNote) => void
}

export type Media = {
  /** "Join audio": devices are sent and streams are received from now on. */
  join(): Promise<void>
  add(notes: readonly StreamNote[]): void
  remove(ids: readonly string[]): void
  /** The network is back: opens all connections again. */
  restart(): void
  /** Back in the waiting room: closes all connections until the next `join`. */
  suspend(): void
  close(): void
}
