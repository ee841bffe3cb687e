// Speech vendors and their keys in API requests and answers.
import Type from 'typebox'
import { SPEECH_PROVIDERS, VENDORS } from '../../../domain/speech-providers.ts'
import { PROVIDERS as ALIASES } from '../aliases.ts'
import { AnyObject, Moment, NamedObject, Nullable, named, published } from '../schema.ts'

const Vendor = () => published(Type.String(), { enum: VENDORS })
const PROVIDERS = Object.keys(SPEECH_PROVIDERS)

export const params = Type.Object({ vendor: Vendor() })

const NAMES = [...PROVIDERS, ...ALIASES.keys()]
const ALIAS_NOTE = [...ALIASES].map(([alias, name]) => `\`${alias}\` is an alias of \`${name}\``).join(', ')
const EXAMPLE = { deepgram: { model: 'nova-3', language: 'en' } }

const TranscriptionProviderName = named('TranscriptionProviderName', Type.Enum(NAMES, { description: `A speech provider. ${ALIAS_NOTE}.` }))

const TranscriptionOptions = NamedObject(
  'TranscriptionOptions',
  { model: Type.Optional(Type.String()), language: Type.Optional(Type.String()) },
  {
    additionalProperties: true,
    description: 'Options of the provider, with the provider’s own names. Every vendor accepts `model` and `language`.',
  },
)

const TranscriptionByProvider = NamedObject(
  'TranscriptionByProvider',
  Object.fromEntries(NAMES.map((name) => [name, Type.Optional(TranscriptionOptions)])),
  {
    additionalProperties: false,
    minProperties: 1,
    maxProperties: 1,
    description: 'One key: the provider’s name, and its options as value.',
    examples: [EXAMPLE],
  },
)

const TranscriptionProvider = named(
  'TranscriptionProvider',
  Type.Union([TranscriptionProviderName, TranscriptionByProvider], {
    description: 'A provider’s name, or an object with one key: the name, and its options as value.',
    examples: ['native', EXAMPLE],
  }),
)

/** Calendar requests also accept a provider under the key `provider`. */
export const CalendarTranscription = named('CalendarTranscription', {
  anyOf: [
    TranscriptionProvider,
    { type: 'object', required: ['provider'], properties: { provider: TranscriptionProvider }, additionalProperties: false },
  ],
})

const ONE_KEY = 'a provider id, or an object with one key: the provider id, and its options as value'

/** As validated: code checks the name and its options with better messages. `title`: what an error says. */
export const ProviderOrName = ({ title = ONE_KEY, description = '' } = {}) =>
  published(Type.Union([Type.String(), AnyObject], { title, ...(description && { description }) }), TranscriptionProvider)

export const VendorAnswer = NamedObject('SpeechVendor', {
  vendor: Vendor(),
  providers: Type.Array(published(Type.String(), { enum: PROVIDERS }), { description: 'Provider names for create_bot and transcribe.' }),
  key: Nullable(
    Type.Enum(['workspace', 'server'], { description: 'Whose key is used. Null: no key, so its providers are rejected with 400.' }),
  ),
  updated_at: Nullable(Moment),
})

export const NewKey = NamedObject('SetSpeechProviderKeyRequest', {
  api_key: Type.String({
    minLength: 1,
    maxLength: 1_000,
    pattern: '^[\\x21-\\x7e]+$',
    writeOnly: true,
    description: 'The vendor’s API key.',
  }),
})
