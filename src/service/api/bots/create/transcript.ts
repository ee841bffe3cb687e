// Reads the speech provider of a request: a name, or an object with the name as key and its options as value.
import { type BotSpec, isJsonObject, type JsonObject, type WorkspaceId } from '../../../../domain/bot.ts'
import { invalid } from '../../../../domain/errors.ts'
import { PLATFORMS, type Platform } from '../../../../domain/platforms.ts'
import { languageProblem } from '../../../../domain/speech-languages.ts'
import { isProvider, liveProviderOf, SPEECH_PROVIDERS } from '../../../../domain/speech-providers.ts'
import { neutralProvider } from '../../aliases.ts'
import type { ApiDeps } from '../../deps.ts'

/** The workspace decides which vendors have a key. */
export type SpeechContext = Pick<ApiDeps, 'config' | 'providerKeys'> & { readonly workspaceId: WorkspaceId }

export async function readTranscript(given: unknown, context: SpeechContext, field: string): Promise<BotSpec['transcript']> {
  const { name: spoken, options: spokenOptions, at } = nameAndOptions(given, field)
  const options = withoutNulls(spokenOptions)
  const name = neutralProvider(spoken)
  if (!isProvider(name)) throw invalid(`${field} must be one of ${Object.keys(SPEECH_PROVIDERS).join(', ')}, not ${JSON.stringify(name)}.`)
  const { vendor } = SPEECH_PROVIDERS[name]
  if (vendor && !(await context.providerKeys.vendorsOf(context.workspaceId)).has(vendor))
    throw invalid(
      `${field} ${name} is not configured: set ${vendor.toUpperCase()}_API_KEY on the server, or PUT /api/v1/speech_providers/${vendor}.`,
    )
  const problem = languageProblem(name, options, hasOwnModel(context))
  if (problem) throw invalid(`${at}.${problem.field} ${problem.message}`)
  return { provider: name, options }
}

/** The operator configured another model for `native`, so its languages are unknown. */
const hasOwnModel = ({ config }: SpeechContext): boolean => config.NATIVE_MODEL !== undefined

type Meeting = { readonly platform: Platform; readonly wantsLiveWords: boolean; readonly field: string }

/** Also checks that the platform has captions, and the language of the live provider if that is another provider. */
export async function readMeetingTranscript(
  given: unknown,
  context: SpeechContext,
  { platform, wantsLiveWords, field }: Meeting,
): Promise<BotSpec['transcript']> {
  const transcript = await readTranscript(given, context, field)
  const { provider, options } = transcript
  const { label, captions } = PLATFORMS[platform]
  if (provider === 'meeting_captions' && !captions) throw invalid(`${field} must not be meeting_captions: ${label} has no captions.`)
  const live = liveProviderOf(provider, wantsLiveWords)
  const problem = live && live !== provider ? languageProblem(live, options, hasOwnModel(context)) : null
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
  if (!isJsonObject(value)) throw invalid(`${field} must be an object.`)
  return value
}

function withoutNulls(options: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== null))
}
