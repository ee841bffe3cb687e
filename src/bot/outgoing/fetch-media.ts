// Fetches pictures and clips from a caller's URL. Rejects files that are too large, too slow or of another type.
import { Failure } from '../../kit/failure.ts'
import { type HttpClient, NetworkError } from '../../kit/http-client.ts'
import { clipTypeOf, pictureOf } from './media-type.ts'

/** The caller's URL is at fault, and the message is for the caller. */
export class FetchRefused extends Failure {
  override readonly name = 'Refused'

  constructor(message: string, options?: ErrorOptions) {
    super('file_refused', message, options)
  }
}

const LIMIT_MS = 4_000
const MAX_MEGABYTES = 10
const MAX_MEGAPIXELS = 40

/** PNG, JPEG, WebP or GIF. */
export async function fetchPicture(http: HttpClient, url: string): Promise<Buffer> {
  const bytes = await fetchBytes(http, url, 'picture')
  const picture = pictureOf(bytes)
  if (!picture) throw new FetchRefused(`The picture must be PNG, JPEG, WebP or GIF; the response starts with ${beginning(bytes)}.`)
  const { width, height } = picture
  // Checked in the header, so that a small file that decodes to gigabytes is never decoded.
  if (width * height > MAX_MEGAPIXELS * 1e6)
    throw new FetchRefused(`The picture must have at most ${MAX_MEGAPIXELS} megapixels; it is ${width} by ${height}.`)
  return bytes
}

/** WAV, MP3, OGG, M4A or FLAC. */
export async function fetchClip(http: HttpClient, url: string): Promise<Buffer> {
  const bytes = await fetchBytes(http, url, 'clip')
  if (clipTypeOf(bytes)) return bytes
  throw new FetchRefused(`The clip must be WAV, MP3, OGG, M4A or FLAC; the response starts with ${beginning(bytes)}.`)
}

async function fetchBytes(http: HttpClient, url: string, kind: 'picture' | 'clip'): Promise<Buffer> {
  const limits = { maxBytes: MAX_MEGABYTES * 1024 * 1024, timeoutMs: LIMIT_MS }
  const { status, body, truncated } = await http.request(url, limits).catch((error: unknown) => {
    if (!(error instanceof NetworkError)) throw error
    throw new FetchRefused(`The ${kind} could not be fetched: ${error.message}`, { cause: error })
  })
  if (status !== 200) throw new FetchRefused(`The ${kind} must be served with status 200; its server answered ${status}.`)
  if (truncated) throw new FetchRefused(`The ${kind} must have at most ${MAX_MEGABYTES} MB; the response is larger.`)
  return body
}

function beginning(bytes: Buffer): string {
  if (bytes.length === 0) return 'nothing, because it is empty'
  return JSON.stringify(bytes.toString('latin1', 0, 12).replaceAll(/[^ -~]/g, '?'))
}
