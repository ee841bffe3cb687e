// The tables of speech providers, and the only file that names their adapters: the URL and the adapter of each.
import { type NativeSettings, type ProviderName, type SpeechSettings, vendorOf } from '../domain/speech-providers.ts'
import type { Endpoint } from './http/client.ts'
import { NativeSpeech } from './native/native.ts'
import type { LiveRecogniser, Recogniser } from './provider.ts'
import { assemblyai, assemblyaiStreaming } from './vendors/assemblyai.ts'
import { deepgram, deepgramStreaming } from './vendors/deepgram.ts'
import { elevenlabs } from './vendors/elevenlabs.ts'
import { jigsawstack } from './vendors/jigsawstack.ts'
import { jigsawstackStreaming } from './vendors/jigsawstack-streaming.ts'
import { openai } from './vendors/openai.ts'
import { sarvam } from './vendors/sarvam.ts'

type Row<Adapter> = { readonly baseUrl: string; open(endpoint: Endpoint): Adapter }
type Table<Adapter> = Readonly<Partial<Record<ProviderName, Row<Adapter>>>>

const AFTER_THE_CALL: Table<Recogniser> = {
  deepgram: { baseUrl: 'https://api.deepgram.com', open: deepgram },
  assemblyai: { baseUrl: 'https://api.assemblyai.com', open: assemblyai },
  openai: { baseUrl: 'https://api.openai.com/v1', open: openai },
  elevenlabs: { baseUrl: 'https://api.elevenlabs.io', open: elevenlabs },
  sarvam: { baseUrl: 'https://api.sarvam.ai', open: sarvam },
  jigsawstack: { baseUrl: 'https://api.jigsawstack.com', open: jigsawstack },
}

const LIVE: Table<LiveRecogniser> = {
  deepgram_streaming: { baseUrl: 'wss://api.deepgram.com', open: deepgramStreaming },
  assemblyai_streaming: { baseUrl: 'wss://streaming.assemblyai.com', open: assemblyaiStreaming },
  jigsawstack_streaming: { baseUrl: 'https://api.jigsawstack.com', open: jigsawstackStreaming },
}

/** All providers. The native one is shared by all bots, and runs recogniser processes only while there is speech. */
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

export const openRecogniser = opener(AFTER_THE_CALL)
export const openLiveRecogniser = opener(LIVE)

/** Its function returns null if the provider is not in the table or has no key. */
function opener<Adapter>(table: Table<Adapter>) {
  return (name: ProviderName, { keys, baseUrls = {} }: SpeechSettings): Adapter | null => {
    const row = table[name]
    const vendor = vendorOf(name)
    const apiKey = vendor && keys[vendor]
    return row && apiKey ? row.open({ apiKey, baseUrl: baseUrls[name] ?? row.baseUrl }) : null
  }
}
