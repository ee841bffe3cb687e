// Pictures and clips from a caller's URL: small, soon, and what they claim to be, or refused with one sentence.
import { Failure } from '../../kit/failure.ts'
import { type Outgoing, OutgoingError } from '../../kit/outgoing.ts'
import { clipTypeOf, pictureOf } from './media-type.ts'

/** The fault of whoever gave the URL; the message is for them. */
export class Refused extends Failure {
  override readonly name = 'Refused'

  constructor(message: string, options?: ErrorOptions) {
    super('file_refused', message, options)
  }
}

const LIMIT_MS = 4_000
const MAX_MEGABYTES = 10
const MAX_MEGAPIXELS = 40

/** PNG, JPEG, WebP or GIF. */
export async function fetchPicture(outgoing: Outgoing, url: string): Promise<Buffer> {
  const bytes = await fetchBytes(outgoing, url, 'picture')
  const picture = pictureOf(bytes)
  if (!picture) throw new Refused(`The picture must be PNG, JPEG, WebP or GIF; what came begins with ${beginning(bytes)}.`)
  const { width, height } = picture
  // Told by its header, so that a small file that unfolds into gigabytes is never unfolded.
  if (width * height > MAX_MEGAPIXELS * 1e6)
    throw new Refused(`The picture must have at most ${MAX_MEGAPIXELS} megapixels; it is ${width} by ${height}.`)
  return bytes
}

/** WAV, MP3, OGG, M4A or FLAC. */
export async function fetchClip(outgoing: Outgoing, url: string): Promise<Buffer> {
  const bytes = await fetchBytes(outgoing, url, 'clip')
  if (clipTypeOf(bytes)) return bytes
  throw new Refused(`The clip must be WAV, MP3, OGG, M4A or FLAC; what came begins with ${beginning(bytes)}.`)
}

async function fetchBytes(outgoing: Outgoing, url: string, what: 'picture' | 'clip'): Promise<Buffer> {
  const limits = { maxBytes: MAX_MEGABYTES * 1024 * 1024, timeoutMs: LIMIT_MS }
  const { status, body, truncated } = await outgoing.get(url, limits).catch((error: unknown) => {
    if (!(error instanceof OutgoingError)) throw error
    throw new Refused(`The ${what} could not be fetched: ${error.message}`, { cause: error })
  })
  if (status !== 200) throw new Refused(`The ${what} must come with status 200; its server answered ${status}.`)
  if (truncated) throw new Refused(`The ${what} must have at most ${MAX_MEGABYTES} MB; more than that came.`)
  return body
}

function beginning(bytes: Buffer): string {
  if (bytes.length === 0) return 'nothing: it is empty'
  return JSON.stringify(bytes.toString('latin1', 0, 12).replaceAll(/[^ -~]/g, '?'))
}
