// The differences between live vendors: URL, headers, control messages and the reading of their messages.
import type { JsonValue } from '../http/json-value.ts'
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
  createReader(): (message: JsonValue) => readonly LiveEvent[]
}

export const DEFAULT_TIMING = {
  connectMs: 10_000,
  pingMs: 5_000,
  /** How often audio is sent. */
  tickMs: 100,
  /** This long without audio sends the flush message. */
  flushMs: 700,
  keepAliveMs: 4_000,
  /** This long without audio closes the connection, because vendors charge for its duration. */
  restMs: 20_000,
  /** How long to wait for the last results after the close message. */
  endMs: 10_000,
  retry: { attempts: 6, firstMs: 300, longestMs: 5_000 },
  keptSeconds: 20,
}

export type LiveTiming = Readonly<typeof DEFAULT_TIMING>

/** Accepts base URLs with http or ws. */
export function socketUrl(baseUrl: string, path: string, query: readonly (readonly [string, string])[]): URL {
  const url = new URL(`${baseUrl.replace(/^http/, 'ws').replace(/\/+$/, '')}${path}`)
  for (const [name, value] of query) url.searchParams.append(name, value)
  return url
}
