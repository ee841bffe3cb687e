// Live words on their way to the caller: by its socket, or by its webhook, one after another in the order in which they were heard.
import { setTimeout as delay } from 'node:timers/promises'
import type { JsonObject } from '../../domain/bot.ts'
import { toldOf } from '../../kit/failure.ts'
import type { Outgoing } from '../../kit/outgoing.ts'
import type { Heard } from './live-words.ts'
import { openSocket } from './socket.ts'
import type { Unheard } from './unsettled.ts'

type DeliveryOptions = {
  readonly botId: string
  readonly customAttributes: JsonObject
  /** When second zero of the recording was, in milliseconds since 1970. */
  readonly zeroMs: () => number
  readonly onProblem: (message: string) => void
}

export type WordDelivery = {
  deliver(heard: Heard): void
  /** Speech in this span gets no words. */
  unheard(span: Unheard): void
  end(): Promise<void>
}

type Body = ReturnType<typeof bodyOf>

function bodyOf({ botId, customAttributes, zeroMs }: DeliveryOptions, { speaker, text, start, words, final, newText }: Heard) {
  return {
    bot_id: botId,
    speakerName: speaker.name,
    speakerId: speaker.id,
    timestamp: new Date(zeroMs() + start * 1000).toISOString(),
    transcript: text,
    new_text: newText,
    words: words.map(({ word, punctuatedWord, start, end, confidence }) => ({
      ...{ word, start, end, confidence, speaker: speaker.name, punctuated_word: punctuatedWord, speech_confidence: confidence },
    })),
    is_final: final,
    end_of_turn: final,
    word_is_final: final,
    custom_attributes: customAttributes,
  }
}

/** What cannot be sent is dropped and counted, as with every socket of a bot. */
export function deliverBySocket(options: DeliveryOptions & { readonly url: string; readonly allowPrivate: boolean }): WordDelivery {
  const hello = () => JSON.stringify({ type: 'ready', bot_id: options.botId })
  const socket = openSocket({ url: options.url, allowPrivate: options.allowPrivate, hello, onProblem: options.onProblem })
  return {
    deliver: (heard) => void socket.send(JSON.stringify(bodyOf(options, heard))),
    unheard: ({ fromMs, toMs }) => socket.lost({ frames: 1, fromMs: options.zeroMs() + fromMs, toMs: options.zeroMs() + toMs }),
    end: () => socket.end(),
  }
}

const WITHIN_MS = 5_000
/** A final one is sent three times at the most. */
const TRIES = 3
const PAUSE_MS = 250
const MOST_WAITING = 500
const END_WITHIN_MS = 2_000

type WebhookOptions = DeliveryOptions & { readonly url: string; readonly outgoing: Pick<Outgoing, 'post'> }

export function deliverByWebhook(options: WebhookOptions): WordDelivery {
  const waiting: Body[] = []
  const stop = new AbortController()
  let working: Promise<void> | null = null
  let told = ''

  function problem(message: string): void {
    if (message !== told) options.onProblem(message)
    told = message
  }

  async function work(): Promise<void> {
    for (let body = waiting.shift(); body && !stop.signal.aborted; body = waiting.shift()) {
      const why = await send(options, body, stop.signal)
      if (why) problem(why)
      else told = ''
    }
    working = null
  }

  return {
    deliver(heard) {
      const body = bodyOf(options, heard)
      // Who is slow is not told what has changed since.
      const stale = waiting.findIndex((it) => !it.is_final && it.speakerId === body.speakerId)
      if (stale >= 0) waiting.splice(stale, 1)
      waiting.push(body)
      if (waiting.length > MOST_WAITING) {
        waiting.shift()
        problem(`${new URL(options.url).host} answers too slowly; live words are dropped.`)
      }
      working ??= work()
    },
    unheard({ fromMs, toMs }) {
      const [from, to] = [fromMs, toMs].map((ms) => new Date(options.zeroMs() + ms).toISOString())
      problem(`What was said from ${from} to ${to} was not heard; there are no live words of it.`)
    },
    async end() {
      const timer = setTimeout(() => stop.abort(), END_WITHIN_MS)
      await working
      clearTimeout(timer)
    },
  }
}

/** Null when it was taken; else why it was not. An unfinished utterance is not worth a second try: the next one says more. */
async function send(options: WebhookOptions, body: Body, signal: AbortSignal): Promise<string | null> {
  const content = JSON.stringify(body)
  let why = await post(options, content, signal)
  for (let tries = 1; why !== null && body.is_final && tries < TRIES && !signal.aborted; tries++) {
    await delay(PAUSE_MS)
    why = await post(options, content, signal)
  }
  return why
}

async function post({ outgoing, url }: WebhookOptions, body: string, signal: AbortSignal): Promise<string | null> {
  try {
    const { status } = await outgoing.post(url, { body, headers: { 'content-type': 'application/json' }, timeoutMs: WITHIN_MS, signal })
    return status >= 200 && status < 300 ? null : `${new URL(url).host} answered ${status} to live words.`
  } catch (error) {
    return toldOf(error, { code: 'delivery_failed', message: 'Live words could not be sent.' }).message
  }
}
