// What differs between live vendors: where they are, what they are told, and how what they say is read.
import type { Fields } from './answer.ts'
import type { SpokenWord } from './utterances.ts'

/** One thing that a vendor's message says. The times are the vendor's own. */
export type LiveNews =
  | { readonly kind: 'words'; readonly words: readonly SpokenWord[]; readonly transcript: string; readonly final: boolean }
  /** The vendor ends the connection, and says why. */
  | { readonly kind: 'refused'; readonly reason: string; readonly passing: boolean }
  /** Everything it was sent has been heard. */
  | { readonly kind: 'done' }

export type LiveProtocol = {
  readonly vendor: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** Never part of a reason. */
  readonly secret: string
  readonly says: {
    /** Now and then while nothing is sent. */
    readonly keepAlive: string
    /** Nobody speaks any more: hear the rest now. */
    readonly flush: string
    /** Hear the rest, say so, and close. */
    readonly close: string
  }
  /** Codes of a closed connection after which another one would end the same way. */
  readonly finalCodes: ReadonlySet<number>
  /** A reader for one connection: a message may speak of an earlier one. */
  listen(): (message: Fields) => readonly LiveNews[]
}

export type LiveTiming = {
  readonly connectMs: number
  readonly pingMs: number
  /** How often sound is sent. */
  readonly tickMs: number
  /** After so long without sound the rest is asked for. */
  readonly flushMs: number
  readonly keepAliveMs: number
  /** After so long without sound the connection is closed; vendors count its time. */
  readonly restMs: number
  /** For the last words, once the end was said. */
  readonly endMs: number
  readonly retryMs: number
  readonly tries: number
  readonly keptSeconds: number
}

export const USUAL_TIMING: LiveTiming = {
  connectMs: 10_000,
  pingMs: 5_000,
  tickMs: 100,
  flushMs: 700,
  keepAliveMs: 4_000,
  restMs: 20_000,
  endMs: 10_000,
  retryMs: 250,
  tries: 6,
  keptSeconds: 20,
}

/** A base URL of http or ws, and a path, as an address for a socket. */
export function socketUrl(baseUrl: string, path: string, query: readonly (readonly [string, string])[]): URL {
  const url = new URL(`${baseUrl.replace(/^http/, 'ws').replace(/\/+$/, '')}${path}`)
  for (const [name, value] of query) url.searchParams.append(name, value)
  return url
}
