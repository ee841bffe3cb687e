// Speech providers by the names of the API.
import type { TranscriptionProviderName } from '../api/types.gen.ts'

/** After the call. */
export const PROVIDERS = [
  'native',
  'deepgram',
  'assemblyai',
  'openai',
  'elevenlabs',
  'sarvam',
  'jigsawstack',
] as const satisfies TranscriptionProviderName[]

/** During the call. */
export const LIVE_PROVIDERS = [
  ...(['native_streaming', 'deepgram_streaming', 'assemblyai_streaming', 'jigsawstack_streaming', 'meeting_captions'] as const),
] satisfies TranscriptionProviderName[]

export type Provider = (typeof PROVIDERS | typeof LIVE_PROVIDERS)[number]
