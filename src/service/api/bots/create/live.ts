// Reads the live outputs of create_bot: transcript, audio, events and the control socket.
import type { EventName } from '../../../../domain/announcements.ts'
import type { BotSpec, RealtimeEndpoint } from '../../../../domain/bot.ts'
import { invalid } from '../../../../domain/errors.ts'
import { type ProviderName, worksLive } from '../../../../domain/speech-providers.ts'
import type { UrlRules } from '../../http/url-rules.ts'
import { type CreateBotBody, REALTIME_EVENTS } from './schema.ts'

type Live = Pick<BotSpec, 'liveWords' | 'liveAudioUrl' | 'controlUrl'>

export function readLive(body: CreateBotBody, provider: ProviderName, urls: UrlRules): Live {
  return {
    liveWords: readLiveWords(body.live_transcription_required, provider, urls),
    liveAudioUrl: urls.socket('live_audio_required.websocket_url', body.live_audio_required?.websocket_url),
    controlUrl: urls.socket('socket_connection_url.websocket_url', body.socket_connection_url?.websocket_url),
  }
}

function readLiveWords(given: CreateBotBody['live_transcription_required'], provider: ProviderName, urls: UrlRules): BotSpec['liveWords'] {
  if (!given) return null
  const webhook = urls.file('live_transcription_required.webhook_url', given.webhook_url)
  const websocket = urls.socket('live_transcription_required.websocket_url', given.websocket_url)
  if ((webhook === null) === (websocket === null))
    throw invalid('live_transcription_required must have exactly one of webhook_url and websocket_url.')
  if (websocket) return { kind: 'websocket', url: websocket }
  if (!worksLive(provider)) {
    throw invalid(
      'live_transcription_required.webhook_url needs a streaming provider in recording_config.transcript.provider, for example native_streaming.',
    )
  }
  return webhook ? { kind: 'webhook', url: webhook } : null
}

type GivenEndpoint = NonNullable<NonNullable<CreateBotBody['recording_config']>['realtime_endpoints']>[number]

export function readRealtime(given: readonly GivenEndpoint[], urls: UrlRules): RealtimeEndpoint[] {
  return given.map(({ type, url, events }, index) => {
    const field = `recording_config.realtime_endpoints.${index}`
    const check = type === 'webhook' ? urls.file : urls.socket
    const checked = check(`${field}.url`, url) ?? url
    return { type, url: checked, events: events.map((name) => realtimeEvent(`${field}.events`, name)) }
  })
}

function realtimeEvent(field: string, name: string): EventName {
  const known = REALTIME_EVENTS.find((event) => event === name)
  if (!known) throw invalid(`${field} must not contain ${JSON.stringify(name)}. Use some of ${REALTIME_EVENTS.join(', ')}.`)
  return known
}
