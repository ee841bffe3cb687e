// Assembles the live words of one bot: their source, their delivery to the caller, and their record.
import type { BotOrders, FromHost } from '../../domain/protocol.ts'
import { isAuto } from '../../domain/speech-languages.ts'
import type { NativeSettings } from '../../domain/speech-providers.ts'
import type { HttpClient } from '../../kit/http-client.ts'
import type { Speech } from '../../speech/registry.ts'
import type { Capture } from '../capture/capture.ts'
import type { MeetingDriver } from '../drivers/driver.ts'
import { type Captions, startCaptions } from './captions.ts'
import { type LiveWords, type SpeakerResult, startLiveWords } from './live-words.ts'
import { deliverBySocket, deliverByWebhook, type WordDelivery } from './word-delivery.ts'

type Tools = {
  readonly orders: BotOrders
  readonly capture: Pick<Capture, 'nowMs' | 'addWords' | 'sessionGap'>
  readonly http: HttpClient
  readonly now: () => number
  readonly report: (report: FromHost) => void
  readonly failed: (step: string, message: string) => Promise<void>
  readonly speechWith: (weights: NativeSettings) => Speech
}

const CAPTIONS = 'meeting_captions'

/** False if the meeting's own captions are the live words. */
export function needsRecogniser({ words }: BotOrders): boolean {
  return words !== null && words.provider !== CAPTIONS
}

/** Null unless the bot has live words from a recogniser. */
export function openLiveWords(tools: Tools): LiveWords | null {
  const { orders, capture, report, now, speechWith } = tools
  const { botId, fence, words } = orders
  if (!words || !needsRecogniser(orders)) return null
  const recogniser = speechWith(words.native).liveRecogniser(words.provider, words.settings)
  const onFailed = (message: string) => report({ kind: 'words_failed', botId, fence, message, at: now() })
  if (!recogniser) {
    onFailed(`The provider ${words.provider} cannot transcribe live; choose another provider for live words.`)
    return null
  }
  const delivery = openDelivery(tools)
  const live = startLiveWords({
    open: (handler) => recogniser.open(handler, words.options),
    onResult(result) {
      if (result.final) capture.addWords(recordOf(result))
      delivery?.deliver(result)
    },
    onFailed,
    onUntranscribed: (span) => delivery?.reportUntranscribed(span),
    nowMs: () => capture.nowMs(),
  })
  return {
    ...live,
    async end() {
      await live.end()
      await delivery?.end()
    },
  }
}

/** Null unless the meeting's own captions are the bot's live words. */
export function openCaptions(tools: Omit<Tools, 'speechWith'> & { readonly driver: Pick<MeetingDriver, 'captions'> }): Captions | null {
  const { orders, capture, driver, report, now } = tools
  const { botId, fence, words } = orders
  if (!words || needsRecogniser(orders)) return null
  const { language } = words.options
  const delivery = openDelivery(tools)
  const captions = startCaptions({
    begin: () => driver.captions(typeof language === 'string' && !isAuto(language) ? language : null),
    onResult(result) {
      if (result.final) capture.addWords(recordOf(result))
      delivery?.deliver(result)
    },
    onFailed: (message) => report({ kind: 'words_failed', botId, fence, message, at: now() }),
    zeroMs: () => now() - capture.nowMs(),
    now,
  })
  return {
    ...captions,
    async end() {
      await captions.end()
      await delivery?.end()
    },
  }
}

function recordOf({ speaker, text, start, end, words }: SpeakerResult) {
  return { participantId: speaker.id, name: speaker.name, text, start, end, words }
}

function openDelivery({ orders, capture, http, now, failed }: Omit<Tools, 'speechWith'>): WordDelivery | null {
  const { botId, spec, customAttributes, allowPrivateUrls: allowPrivate } = orders
  if (!spec.liveWords) return null
  const { kind, url } = spec.liveWords
  const zeroMs = () => now() - capture.nowMs()
  const options = { botId, customAttributes, zeroMs, url, onProblem: (message: string) => void failed('live words', message) }
  const delivery = kind === 'webhook' ? deliverByWebhook({ ...options, http }) : deliverBySocket({ ...options, allowPrivate })
  const away = capture.sessionGap()
  if (away) delivery.reportUntranscribed(away)
  return delivery
}
