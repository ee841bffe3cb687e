// Who makes words of what is said: a provider's name, or its name with options. The only reader of both.
import type { BotSpec, JsonObject } from '../../../domain/bot.ts'
import { invalid } from '../../../domain/errors.ts'
import { PLATFORMS, type Platform } from '../../../domain/platforms.ts'
import { languageProblem } from '../../../domain/speech-languages.ts'
import { isProvider, liveProviderOf, SPEECH_PROVIDERS, type Vendor } from '../../../domain/speech-providers.ts'
import { neutralProvider } from '../aliases.ts'

/** What the server can listen with. */
export type Listening = {
  readonly configuredVendors: ReadonlySet<Vendor>
  /** The operator brought weights for `native`: their language is not known here. */
  readonly hasOwnModel: boolean
}

export function readTranscript(given: unknown, { configuredVendors, hasOwnModel }: Listening, field: string): BotSpec['transcript'] {
  const { name: spoken, options: spokenOptions, at } = nameAndOptions(given, field)
  const options = withoutNulls(spokenOptions)
  const name = neutralProvider(spoken)
  if (!isProvider(name)) throw invalid(`${field} ${name} is not known. Known: ${Object.keys(SPEECH_PROVIDERS).join(', ')}.`)
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

/** The same for a meeting, which may have no captions of its own, and whose live words may come from another provider. */
export function readMeetingTranscript(
  given: unknown,
  listening: Listening,
  { platform, wantsLiveWords, field }: Meeting,
): BotSpec['transcript'] {
  const transcript = readTranscript(given, listening, field)
  const { provider, options } = transcript
  const { label, captions } = PLATFORMS[platform]
  if (provider === 'meeting_captions' && !captions) throw invalid(`${field} meeting_captions cannot be had: ${label} has no captions.`)
  const live = liveProviderOf(provider, wantsLiveWords)
  const problem = live && live !== provider ? languageProblem(live, options, listening.hasOwnModel) : null
  if (problem) throw invalid(`live_transcription_required: the ${problem.field} ${problem.message}`)
  return transcript
}

/** `at`: where the caller wrote the options. */
type Named = { readonly name: string; readonly options: JsonObject; readonly at: string }

/** `"native"`, `{"native": {...}}`, and either of them under `provider`. */
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
