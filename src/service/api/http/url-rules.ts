// Checks URLs in requests: the allowed schemes, and no private addresses.
import { invalid } from '../../../domain/errors.ts'
import { urlProblem } from '../../../kit/http-client.ts'

type Check = (field: string, url: string | undefined) => string | null

export type UrlRules = {
  /** Webhooks: http or https. */
  readonly callback: Check
  /** Images, clips and token servers: https. */
  readonly file: Check
  readonly socket: Check
}

/** Each check returns the URL, returns null for undefined, or throws a 400 that names the field. */
export function urlRules(allowPrivate: boolean): UrlRules {
  const only =
    (...schemes: readonly string[]): Check =>
    (field, url) => {
      if (url === undefined) return null
      const problem = urlProblem(url, { schemes, allowPrivate })
      if (problem) throw invalid(`${field} ${problem}`)
      return url
    }
  return { callback: only('http', 'https'), file: only('https'), socket: only('wss') }
}
