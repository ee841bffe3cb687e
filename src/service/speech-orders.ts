// The speech part of a bot's orders: the live provider and the voice.
import type { BotSpec } from '../domain/bot.ts'
import type { BotOrders } from '../domain/protocol.ts'
import { liveProviderOf, SPEECH_PROVIDERS, type SpeechSettings, type Vendor, vendorOf } from '../domain/speech-providers.ts'
import { withoutUndefined } from '../kit/without-undefined.ts'
import type { Config } from './config.ts'

/** The vendor whose key a bot needs for live transcription; null if none. */
export function liveVendorOf({ transcript, liveWords }: BotSpec): Vendor | null {
  return vendorOf(liveProviderOf(transcript.provider, liveWords !== null))
}

/** Contains only the key of the bot's live provider. */
export function speechFor(
  config: Config,
  { keys, baseUrls = {} }: SpeechSettings,
  { transcript, liveWords }: BotSpec,
): Pick<BotOrders, 'words' | 'voice'> {
  const provider = liveProviderOf(transcript.provider, liveWords !== null)
  const { VOICE_URL: baseUrl, VOICE_API_KEY: apiKey = '', VOICE_MODEL: model, VOICE_NAME: voice, VOICE_FORMAT: format } = config
  const endpoint = baseUrl ? { baseUrl, apiKey, model, voice, format } : null
  if (provider === null) return { words: null, voice: endpoint }
  const vendor = vendorOf(provider)
  const { native } = config.speech
  const isOwn = vendor === SPEECH_PROVIDERS[transcript.provider].vendor
  const settings = {
    keys: vendor ? withoutUndefined({ [vendor]: keys[vendor] }) : {},
    baseUrls: withoutUndefined({ [provider]: baseUrls[provider] }),
  }
  return { words: { provider, options: isOwn ? transcript.options : {}, settings, native }, voice: endpoint }
}
