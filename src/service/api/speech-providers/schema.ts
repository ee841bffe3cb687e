// Speech vendors and their keys in API requests and answers.
import Type from 'typebox'
import { VENDORS } from '../../../domain/speech-providers.ts'
import { Moment, Nullable } from '../schema.ts'

export const params = Type.Object({ vendor: Type.String({ description: VENDORS.join(', ') }) })

export const VendorAnswer = Type.Object({
  vendor: Type.String(),
  providers: Type.Array(Type.String(), { description: 'Provider names for create_bot and transcribe.' }),
  key: Nullable(
    Type.Enum(['workspace', 'server'], { description: 'Whose key is used. Null: no key, so its providers are rejected with 400.' }),
  ),
  updated_at: Nullable(Moment),
})

export const NewKey = Type.Object({
  api_key: Type.String({
    minLength: 1,
    maxLength: 1_000,
    pattern: '^[\\x21-\\x7e]+$',
    writeOnly: true,
    description: 'The vendor’s API key.',
  }),
})
