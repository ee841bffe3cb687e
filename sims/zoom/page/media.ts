/// <reference lib="dom" />
// What both ways of carrying media have in common for the rest of the page.
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
  /** The connection was lost and is back: everything is set up anew. */
  restart(): void
  /** Put on hold: everything is set down, until `join` comes again. */
  suspend(): void
  close(): void
}
