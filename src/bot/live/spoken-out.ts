// The live words of one bot, put together: who listens, who is told, and the record that stays.
import type { BotOrders, FromHost } from '../../domain/protocol.ts'
import { isAuto } from '../../domain/speech-languages.ts'
import type { NativeSettings } from '../../domain/speech-providers.ts'
import type { Outgoing } from '../../kit/outgoing.ts'
import type { Speech } from '../../speech/registry.ts'
import type { Capture } from '../capture/capture.ts'
import type { MeetingDriver } from '../drivers/driver.ts'
import { type Captions, startCaptions } from './captions.ts'
import { type Heard, type LiveWords, startLiveWords } from './live-words.ts'
import { deliverBySocket, deliverByWebhook, type WordDelivery } from './word-delivery.ts'

type Tools = {
  readonly orders: BotOrders
  readonly capture: Pick<Capture, 'nowMs' | 'said' | 'away'>
  readonly outgoing: Outgoing
  readonly now: () => number
  readonly report: (report: FromHost) => void
  readonly failed: (step: string, message: string) => Promise<void>
  readonly speechWith: (weights: NativeSettings) => Speech
}

const CAPTIONS = 'meeting_captions'

/** Whether somebody has to listen, so that there are words: captions are written by the meeting itself. */
export function areHeard({ words }: BotOrders): boolean {
  return words !== null && words.provider !== CAPTIONS
}

/** Null where nobody asked for any that are heard. */
export function openLiveWords(tools: Tools): LiveWords | null {
  const { orders, capture, report, now, speechWith } = tools
  const { botId, fence, words } = orders
  if (!words || !areHeard(orders)) return null
  const recogniser = speechWith(words.native).liveRecogniser(words.provider, words.settings)
  const onFailed = (message: string) => report({ kind: 'words_failed', botId, fence, message, at: now() })
  if (!recogniser) {
    onFailed(`${words.provider} has no source of live words in this meeting.`)
    return null
  }
  const delivery = openDelivery(tools)
  const live = startLiveWords({
    open: (ear) => recogniser.open(ear, words.options),
    onHeard(heard) {
      if (heard.final) capture.said(recordOf(heard))
      delivery?.deliver(heard)
    },
    onFailed,
    onUnheard: (span) => delivery?.unheard(span),
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

/** Null where nobody asked for the meeting's own. */
export function openCaptions(tools: Omit<Tools, 'speechWith'> & { readonly driver: Pick<MeetingDriver, 'captions'> }): Captions | null {
  const { orders, capture, driver, report, now } = tools
  const { botId, fence, words } = orders
  if (!words || areHeard(orders)) return null
  const { language } = words.options
  const delivery = openDelivery(tools)
  const captions = startCaptions({
    begin: () => driver.captions(typeof language === 'string' && !isAuto(language) ? language : null),
    onHeard(heard) {
      if (heard.final) capture.said(recordOf(heard))
      delivery?.deliver(heard)
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

function recordOf({ speaker, text, start, end, words }: Heard) {
  return { participantId: speaker.id, name: speaker.name, text, start, end, words }
}

function openDelivery({ orders, capture, outgoing, now, failed }: Omit<Tools, 'speechWith'>): WordDelivery | null {
  const { botId, spec, customAttributes, allowPrivateUrls: allowPrivate } = orders
  if (!spec.liveWords) return null
  const { kind, url } = spec.liveWords
  const zeroMs = () => now() - capture.nowMs()
  const options = { botId, customAttributes, zeroMs, url, onProblem: (message: string) => void failed('live words', message) }
  const delivery = kind === 'webhook' ? deliverByWebhook({ ...options, outgoing }) : deliverBySocket({ ...options, allowPrivate })
  const away = capture.away()
  if (away) delivery.unheard(away)
  return delivery
}
