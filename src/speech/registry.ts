// The table of speech providers, and the only file that names them: when each works, which key it needs, its URL and its adapter.
import type { NativeSettings, ProviderName, SpeechSettings, Vendor } from '../domain/speech-providers.ts'
import type { Endpoint } from './http/client.ts'
import { NativeSpeech } from './native/native.ts'
import type { LiveRecogniser, Recogniser } from './provider.ts'
import { assemblyai } from './vendors/assemblyai.ts'
import { assemblyaiStreaming } from './vendors/assemblyai-streaming.ts'
import { deepgram } from './vendors/deepgram.ts'
import { deepgramStreaming } from './vendors/deepgram-streaming.ts'
import { elevenlabs } from './vendors/elevenlabs.ts'
import { jigsawstack } from './vendors/jigsawstack.ts'
import { jigsawstackStreaming } from './vendors/jigsawstack-streaming.ts'
import { openai } from './vendors/openai.ts'
import { sarvam } from './vendors/sarvam.ts'

type Row = { readonly needs: Vendor; readonly baseUrl: string } & (
  | { readonly works: 'after'; open(endpoint: Endpoint): Recogniser }
  | { readonly works: 'live'; open(endpoint: Endpoint): LiveRecogniser }
)

// biome-ignore format: a table reads best with one row a line
const PROVIDERS: Readonly<Partial<Record<ProviderName, Row>>> = {
  deepgram:              { works: 'after', needs: 'deepgram',    baseUrl: 'https://api.deepgram.com',         open: deepgram },
  assemblyai:            { works: 'after', needs: 'assemblyai',  baseUrl: 'https://api.assemblyai.com',       open: assemblyai },
  openai:                { works: 'after', needs: 'openai',      baseUrl: 'https://api.openai.com/v1',        open: openai },
  elevenlabs:            { works: 'after', needs: 'elevenlabs',  baseUrl: 'https://api.elevenlabs.io',        open: elevenlabs },
  sarvam:                { works: 'after', needs: 'sarvam',      baseUrl: 'https://api.sarvam.ai',            open: sarvam },
  jigsawstack:           { works: 'after', needs: 'jigsawstack', baseUrl: 'https://api.jigsawstack.com',      open: jigsawstack },
  deepgram_streaming:    { works: 'live',  needs: 'deepgram',    baseUrl: 'wss://api.deepgram.com',           open: deepgramStreaming },
  assemblyai_streaming:  { works: 'live',  needs: 'assemblyai',  baseUrl: 'wss://streaming.assemblyai.com',   open: assemblyaiStreaming },
  jigsawstack_streaming: { works: 'live',  needs: 'jigsawstack', baseUrl: 'https://api.jigsawstack.com',      open: jigsawstackStreaming },
}

/** All providers. The native one is shared by all bots, and runs worker processes only while there is speech. */
export type Speech = {
  /** Null: the provider does not work after the call, or has no key. */
  recogniser(name: ProviderName, settings: SpeechSettings): Recogniser | null
  liveRecogniser(name: ProviderName, settings: SpeechSettings): LiveRecogniser | null
  /** The processes of this server that transcribe a recording now. Each takes one core. */
  transcribing(): number
  stop(): Promise<void>
}

export function openSpeech(weights: NativeSettings): Speech {
  const native = new NativeSpeech(weights)
  return {
    recogniser: (name, settings) => (name === 'native' ? native : openRecogniser(name, settings)),
    liveRecogniser: (name, settings) => (name === 'native_streaming' ? native : openLiveRecogniser(name, settings)),
    transcribing: () => native.transcribing,
    stop: () => native.stop(),
  }
}

/** Null: the provider does not work after the call, or has no key. */
export function openRecogniser(name: ProviderName, settings: SpeechSettings): Recogniser | null {
  const row = PROVIDERS[name]
  const endpoint = endpointOf(name, settings)
  return row?.works === 'after' && endpoint ? row.open(endpoint) : null
}

/** Null: the provider does not work live, or has no key. */
export function openLiveRecogniser(name: ProviderName, settings: SpeechSettings): LiveRecogniser | null {
  const row = PROVIDERS[name]
  const endpoint = endpointOf(name, settings)
  return row?.works === 'live' && endpoint ? row.open(endpoint) : null
}

function endpointOf(name: ProviderName, { keys, baseUrls = {} }: SpeechSettings): Endpoint | null {
  const row = PROVIDERS[name]
  const apiKey = row && keys[row.needs]
  return row && apiKey ? { apiKey, baseUrl: baseUrls[name] ?? row.baseUrl } : null
}
