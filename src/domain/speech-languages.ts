// The languages of each provider, so that an unsupported one is refused before the meeting.
import type { JsonObject } from './bot.ts'
import type { ProviderName } from './speech-providers.ts'

type Languages = {
  /** A code without a region includes all its regions. */
  readonly codes: readonly string[]
  /** The models with these codes. The vendor checks others. Null: the provider has one model. */
  readonly models: RegExp | null
}

const list = (codes: string): readonly string[] => codes.split(' ')
const ENGLISH: Languages = { codes: ['en'], models: null }
/** From the vendor's documentation of nova-3. */
const NOVA_3: Languages = {
  codes: list(
    'af ar be bg bn bs ca cs da de el en es et fa fi fr gl gu he hi hr hu id it ja kn ko lt lv mk mr ms multi nl no pl pt ro ru sk sl sr sv ta te th tl tr uk ur vi xh zh zu',
  ),
  models: /^nova-3/,
}
/** From the vendor's documentation of saaras:v3: only with their region. */
const SAARAS: Languages = {
  codes: list(
    'as-IN bn-IN brx-IN doi-IN en-IN gu-IN hi-IN kn-IN kok-IN ks-IN mai-IN ml-IN mni-IN mr-IN ne-IN od-IN pa-IN sa-IN sat-IN sd-IN ta-IN te-IN unknown ur-IN',
  ),
  models: /^saaras:v3/,
}

/** Providers that are not listed accept any language. */
const LANGUAGES: Readonly<Partial<Record<ProviderName, Languages>>> = {
  native: ENGLISH,
  native_streaming: ENGLISH,
  deepgram: NOVA_3,
  deepgram_streaming: NOVA_3,
  sarvam: SAARAS,
  assemblyai_streaming: { codes: list('de en es fr it pt'), models: /^u3-rt-pro/ },
}

/** Vendors use either name. */
const FIELDS = ['language', 'language_code'] as const
const MODEL_FIELDS = ['model', 'speech_model'] as const
const NAMES = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })

/** The caller leaves the language to the provider. */
export function isAuto(language: unknown): boolean {
  return typeof language === 'string' && language.trim().toLowerCase() === 'auto'
}

export type LanguageProblem = { readonly field: string; readonly message: string }

/** Null: supported. The operator's own weights may be for any language. */
export function languageProblem(provider: ProviderName, options: JsonObject, hasOwnModel: boolean): LanguageProblem | null {
  for (const field of FIELDS) {
    const language = options[field]
    if (language === undefined || language === null || language === '' || isAuto(language)) continue
    if (typeof language !== 'string') return { field, message: 'must be a text, for example en, or "auto".' }
    const known = languagesOf(provider, options, hasOwnModel)
    const isDone = known ? known.some((code) => covers(code, language)) : isLanguage(language)
    if (isDone) continue
    const wanted = known ? `"auto" or one of ${known.join(', ')}` : 'a language code, for example en or pt-BR, or "auto"'
    return { field, message: `${JSON.stringify(language)} is not supported by ${provider}: it must be ${wanted}.` }
  }
  return null
}

function languagesOf(provider: ProviderName, options: JsonObject, hasOwnModel: boolean): readonly string[] | null {
  if (hasOwnModel && LANGUAGES[provider] === ENGLISH) return null
  const { codes = null, models = null } = LANGUAGES[provider] ?? {}
  const model = MODEL_FIELDS.map((name) => options[name]).find((name) => typeof name === 'string')
  return model === undefined || models === null || models.test(String(model)) ? codes : null
}

function covers(code: string, language: string): boolean {
  const [known, asked] = [code.toLowerCase(), language.toLowerCase().replaceAll('_', '-')]
  return asked === known || (!known.includes('-') && asked.startsWith(`${known}-`))
}

function isLanguage(language: string): boolean {
  const [primary] = /^[a-z]{2,3}(?=[-_]|$)/i.exec(language) ?? []
  return primary !== undefined && NAMES.of(primary) !== undefined
}
