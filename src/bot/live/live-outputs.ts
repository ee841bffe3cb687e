// The live outputs of a meeting: its audio, and its words from a recogniser or from the meeting's own captions.
import type { Caption } from '../../domain/meeting.ts'
import type { BotOrders, FromWorker } from '../../domain/protocol.ts'
import { isAuto } from '../../domain/speech-languages.ts'
import type { NativeSettings } from '../../domain/speech-providers.ts'
import type { HttpClient } from '../../kit/http-client.ts'
import type { Speech } from '../../speech/registry.ts'
import type { Capture } from '../capture/capture.ts'
import type { Span } from '../capture/source/speech-detector.ts'
import type { MeetingDriver } from '../drivers/driver.ts'
import type { Speaker } from './audio-frame.ts'
import { type Captions, startCaptions } from './captions.ts'
import { type LiveAudio, startLiveAudio } from './live-audio.ts'
import { type LiveWords, type SpeakerResult, startLiveWords } from './live-words.ts'
import { deliverBySocket, deliverByWebhook, type WordDelivery } from './word-delivery.ts'

export type LiveOutputTools = {
  readonly orders: BotOrders
  readonly driver: Pick<MeetingDriver, 'captions'>
  readonly capture: Capture
  readonly http: HttpClient
  readonly now: () => number
  readonly report: (report: FromWorker) => void
  /** Reports a failure that does not end the bot. */
  readonly failed: (step: string, message: string, code?: string) => Promise<void>
  readonly speechWith: (weights: NativeSettings) => Speech
}

type WordTools = Omit<LiveOutputTools, 'driver' | 'capture' | 'speechWith'> & {
  readonly capture: Pick<Capture, 'nowMs' | 'addWords' | 'sessionGap'>
}

export type LiveOutputs = ReturnType<typeof openLiveOutputs>

export function openLiveOutputs(tools: LiveOutputTools) {
  const audioOutputs = [openLiveAudio(tools), openLiveWords(tools)].filter((it) => it !== null)
  const captions = openCaptions(tools)
  const all = captions ? [...audioOutputs, captions] : audioOutputs
  return {
    /** 960 samples at 48 kHz; the speaker is null while unknown. */
    onAudio(speaker: Speaker | null, pcm: Int16Array, atMs: number): void {
      for (const it of audioOutputs) it.onAudio(speaker, pcm, atMs)
    },
    onCaption: (caption: Caption): void => captions?.onCaption(caption),
    pause(): void {
      for (const it of all) it.pause()
    },
    resume(): void {
      for (const it of all) it.resume()
    },
    /** The recording ends here: later captions are not part of it. */
    stop: (): void => captions?.pause(),
    async end(): Promise<void> {
      await Promise.all(all.map((it) => it.end()))
    },
  }
}

function openLiveAudio({ orders, capture, failed }: LiveOutputTools): LiveAudio | null {
  const { botId, spec, allowPrivateUrls: allowPrivate } = orders
  if (!spec.liveAudioUrl) return null
  capture.live(true)
  const onProblem = (message: string) => void failed('live audio', message)
  return startLiveAudio({ url: spec.liveAudioUrl, botId, allowPrivate, nowMs: () => capture.nowMs(), onProblem })
}

const CAPTIONS = 'meeting_captions'

/** False if the meeting's own captions are the live words. */
export function needsRecogniser({ words }: BotOrders): boolean {
  return words !== null && words.provider !== CAPTIONS
}

/** Null unless the bot has live words from a recogniser. */
export function openLiveWords(tools: WordTools & Pick<LiveOutputTools, 'speechWith'>): LiveWords | null {
  const { orders, capture, speechWith } = tools
  const { words } = orders
  if (!words || !needsRecogniser(orders)) return null
  const onFailed = reportsFailure(tools)
  const recogniser = speechWith(words.native).liveRecogniser(words.provider, words.settings)
  if (!recogniser) {
    onFailed(`The provider ${words.provider} cannot transcribe live; choose another provider for live words.`)
    return null
  }
  return delivering(tools, (events) =>
    startLiveWords({ ...events, open: (handler) => recogniser.open(handler, words.options), onFailed, nowMs: () => capture.nowMs() }),
  )
}

/** Null unless the meeting's own captions are the bot's live words. */
export function openCaptions(tools: WordTools & Pick<LiveOutputTools, 'driver'>): Captions | null {
  const { orders, capture, driver, now } = tools
  const { words } = orders
  if (!words || needsRecogniser(orders)) return null
  const { language } = words.options
  const begin = () => driver.captions(typeof language === 'string' && language !== '' && !isAuto(language) ? language : null)
  const zeroMs = () => now() - capture.nowMs()
  return delivering(tools, ({ onResult }) => startCaptions({ begin, onResult, onFailed: reportsFailure(tools), zeroMs, now }))
}

function reportsFailure({ orders: { botId, fence }, report, now }: WordTools): (message: string) => void {
  return (message) => report({ kind: 'words_failed', botId, fence, message, at: now() })
}

type WordEvents = { readonly onResult: (result: SpeakerResult) => void; readonly onUntranscribed: (span: Span) => void }

/** Starts a source of words. Its results are delivered to the caller, and the final ones recorded. */
function delivering<Source extends LiveWords | Captions>(tools: WordTools, start: (events: WordEvents) => Source): Source {
  const delivery = openDelivery(tools)
  const source = start({
    onResult(result) {
      if (result.final) tools.capture.addWords(recordOf(result))
      delivery?.deliver(result)
    },
    onUntranscribed: (span) => delivery?.reportUntranscribed(span),
  })
  return {
    ...source,
    async end() {
      await source.end()
      await delivery?.end()
    },
  }
}

function recordOf({ speaker, text, start, end, words }: SpeakerResult) {
  return { participantId: speaker.id, name: speaker.name, text, start, end, words }
}

function openDelivery({ orders, capture, http, now, failed }: WordTools): WordDelivery | null {
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
