// Reads the speech provider of a request: a name, or an object with the name as key and its options as value.
import type { BotSpec, JsonObject } from '../../../../domain/bot.ts'
import { invalid } from '../../../../domain/errors.ts'
import { PLATFORMS, type Platform } from '../../../../domain/platforms.ts'
import { languageProblem } from '../../../../domain/speech-languages.ts'
import { isProvider, liveProviderOf, SPEECH_PROVIDERS, type Vendor } from '../../../../domain/speech-providers.ts'
import { neutralProvider } from '../../aliases.ts'

/** The speech providers that this server can use. */
export type SpeechSetup = {
  readonly configuredVendors: ReadonlySet<Vendor>
  /** The operator configured another model for `native`, so its languages are unknown. */
  readonly hasOwnModel: boolean
}

export function readTranscript(given: unknown, { configuredVendors, hasOwnModel }: SpeechSetup, field: string): BotSpec['transcript'] {
  const { name: spoken, options: spokenOptions, at } = nameAndOptions(given, field)
  const options = withoutNulls(spokenOptions)
  const name = neutralProvider(spoken)
  if (!isProvider(name)) throw invalid(`${field} must be one of ${Object.keys(SPEECH_PROVIDERS).join(', ')}, not ${JSON.stringify(name)}.`)
  const { vendor } = SPEECH_PROVIDERS[name]
  if (vendor && !configuredVendors.has(vendor))
    throw invalid(
      `${field} ${name} is not configured: set ${vendor.toUpperCase()}_API_KEY on the server, or PUT /api/v1/speech_providers/${vendor}.`,
    )
  const problem = languageProblem(name, options, hasOwnModel)
  if (problem) throw invalid(`${at}.${problem.field} ${problem.message}`)
  return { provider: name, options }
}

type Meeting = { readonly platform: Platform; readonly wantsLiveWords: boolean; readonly field: string }

/** Also checks that the platform has captions, and the language of the live provider if that is another provider. */
export function readMeetingTranscript(
  given: unknown,
  setup: SpeechSetup,
  { platform, wantsLiveWords, field }: Meeting,
): BotSpec['transcript'] {
  const transcript = readTranscript(given, setup, field)
  const { provider, options } = transcript
  const { label, captions } = PLATFORMS[platform]
  if (provider === 'meeting_captions' && !captions) throw invalid(`${field} must not be meeting_captions: ${label} has no captions.`)
  const live = liveProviderOf(provider, wantsLiveWords)
  const problem = live && live !== provider ? languageProblem(live, options, setup.hasOwnModel) : null
  if (problem) throw invalid(`live_transcription_required: the ${problem.field} ${problem.message}`)
  return transcript
}

/** `at`: the path of the options in the request, for error messages. */
type Named = { readonly name: string; readonly options: JsonObject; readonly at: string }

/** Accepts `"native"`, `{"native": {...}}`, and either of them under `provider`. */
function nameAndOptions(given: unknown, field: string): Named {
  if (given === undefined || given === null) return { name: 'native', options: {}, at: field }
  if (typeof given === 'string') return { name: given, options: {}, at: field }
  const { provider, ...beside } = asObject(given, field)
  if (typeof provider === 'string') return { name: provider, options: beside, at: field }
  if (provider !== undefined) return nameAndOptions(provider, `${field}.provider`)
  const entries = Object.entries(beside)
  const [entry] = entries
  if (!entry || entries.length > 1) throw invalid(`${field} must have exactly one key: the provider id.`)
  const [name, options] = entry
  const at = `${field}.${name}`
  return { name, options: asObject(options ?? {}, at), at }
}

function asObject(value: unknown, field: string): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(`${field} must be an object.`)
  return value as JsonObject
}

function withoutNulls(options: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== null))
}
