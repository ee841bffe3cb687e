// The differences between live vendors: URL, headers, control messages and the reading of their messages.
import type { Fields } from '../http/json-fields.ts'
import type { VendorWord } from '../utterances.ts'

/** An event of a vendor's message. Times count the audio sent on this connection. */
export type LiveEvent =
  | { readonly kind: 'words'; readonly words: readonly VendorWord[]; readonly transcript: string; readonly final: boolean }
  /** The vendor ends the connection with a reason. */
  | { readonly kind: 'refused'; readonly reason: string; readonly retryable: boolean }
  /** All sent audio has been recognised. */
  | { readonly kind: 'done' }

export type LiveProtocol = {
  readonly vendor: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** Removed from every reason. */
  readonly secret: string
  readonly messages: {
    /** Sent regularly while there is no audio. */
    readonly keepAlive: string
    /** Requests final results for the audio so far. */
    readonly flush: string
    /** Requests the last results and the end of the connection. */
    readonly close: string
  }
  /** WebSocket close codes that are not retried. */
  readonly finalCodes: ReadonlySet<number>
  /** A stateful reader for one connection. */
  createReader(): (message: Fields) => readonly LiveEvent[]
}

export type LiveTiming = {
  readonly connectMs: number
  readonly pingMs: number
  /** How often audio is sent. */
  readonly tickMs: number
  /** This long without audio sends the flush message. */
  readonly flushMs: number
  readonly keepAliveMs: number
  /** This long without audio closes the connection, because vendors charge for its duration. */
  readonly restMs: number
  /** How long to wait for the last results after the close message. */
  readonly endMs: number
  readonly retryMs: number
  readonly tries: number
  readonly keptSeconds: number
}

export const DEFAULT_TIMING: LiveTiming = {
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

/** Accepts base URLs with http or ws. */
export function socketUrl(baseUrl: string, path: string, query: readonly (readonly [string, string])[]): URL {
  const url = new URL(`${baseUrl.replace(/^http/, 'ws').replace(/\/+$/, '')}${path}`)
  for (const [name, value] of query) url.searchParams.append(name, value)
  return url
}
