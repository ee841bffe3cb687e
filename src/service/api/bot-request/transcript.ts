// recording_config.transcript.provider: a name, or a name with options.
import type { BotSpec, JsonObject } from '../../../domain/bot.ts'
import { invalid } from '../../../domain/errors.ts'
import { PLATFORMS, type Platform } from '../../../domain/platforms.ts'
import { isProvider, SPEECH_PROVIDERS, type Vendor } from '../../../domain/speech-providers.ts'

const FIELD = 'recording_config.transcript.provider'

export function readTranscript(
  given: string | JsonObject | undefined,
  configured: ReadonlySet<Vendor>,
  field = FIELD,
): BotSpec['transcript'] {
  const [name, options] = nameAndOptions(given, field)
  if (!isProvider(name)) throw invalid(`${field} ${name} is not known. Known: ${Object.keys(SPEECH_PROVIDERS).join(', ')}.`)
  const { vendor } = SPEECH_PROVIDERS[name]
  if (vendor && !configured.has(vendor))
    throw invalid(
      `${field} ${name} is not configured: set ${vendor.toUpperCase()}_API_KEY on the server, or PUT /api/v1/speech_providers/${vendor}.`,
    )
  return { provider: name, options }
}

/** The same for a meeting, which may have no captions of its own. */
export function readMeetingTranscript(
  given: string | JsonObject | undefined,
  configured: ReadonlySet<Vendor>,
  platform: Platform,
): BotSpec['transcript'] {
  const transcript = readTranscript(given, configured)
  if (transcript.provider !== 'meeting_captions') return transcript
  const { label, captions } = PLATFORMS[platform]
  if (!captions) throw invalid(`${FIELD} meeting_captions cannot be had: ${label} has no captions.`)
  const { language = '' } = transcript.options
  if (typeof language !== 'string') throw invalid(`${FIELD}.meeting_captions.language must be a text, for example en-US.`)
  return transcript
}

function nameAndOptions(given: string | JsonObject | undefined, field: string): [string, JsonObject] {
  if (given === undefined) return ['native', {}]
  if (typeof given === 'string') return [given, {}]
  const entries = Object.entries(given)
  const [entry] = entries
  if (!entry || entries.length > 1) throw invalid(`${field} must have exactly one key: the provider id.`)
  const [name, options] = [entry[0], entry[1] ?? {}]
  if (typeof options !== 'object' || Array.isArray(options)) throw invalid(`${field}.${name} must be an object.`)
  return [name, Object.fromEntries(Object.entries(options).filter(([, value]) => value !== null))]
}
