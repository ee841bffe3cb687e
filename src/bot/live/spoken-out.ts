// The live words of one bot, put together: who listens, who is told, and the record that stays.
import type { BotOrders, FromHost } from '../../domain/protocol.ts'
import type { NativeSettings } from '../../domain/speech-providers.ts'
import type { Outgoing } from '../../kit/outgoing.ts'
import type { Speech } from '../../speech/registry.ts'
import type { Capture } from '../capture/capture.ts'
import { type Heard, type LiveWords, startLiveWords } from './live-words.ts'
import { deliverBySocket, deliverByWebhook, type WordDelivery } from './word-delivery.ts'

type Tools = {
  readonly orders: BotOrders
  readonly capture: Pick<Capture, 'nowMs' | 'said'>
  readonly outgoing: Outgoing
  readonly now: () => number
  readonly report: (report: FromHost) => void
  readonly failed: (step: string, message: string) => Promise<void>
  readonly speechWith: (weights: NativeSettings) => Speech
}

/** Null where nobody asked for any. */
export function openLiveWords(tools: Tools): LiveWords | null {
  const { orders, capture, report, now, speechWith } = tools
  const { botId, fence, words } = orders
  if (!words) return null
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

function recordOf({ speaker, text, start, end, words }: Heard) {
  return { participantId: speaker.id, name: speaker.name, text, start, end, words }
}

function openDelivery({ orders, capture, outgoing, now, failed }: Tools): WordDelivery | null {
  const { botId, spec, customAttributes, allowPrivateUrls: allowPrivate } = orders
  if (!spec.liveWords) return null
  const { kind, url } = spec.liveWords
  const zeroMs = () => now() - capture.nowMs()
  const options = { botId, customAttributes, zeroMs, url, onProblem: (message: string) => void failed('live words', message) }
  return kind === 'webhook' ? deliverByWebhook({ ...options, outgoing }) : deliverBySocket({ ...options, allowPrivate })
}
