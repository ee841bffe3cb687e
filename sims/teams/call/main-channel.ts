// Messages of the data channel `main-channel`: a binary prefix, then JSON.
import type { Caption, Stretch } from './types.ts'

/** Contains no `[` or `{`, with which the JSON begins. */
const PREFIX = Buffer.from([0x00, 0x01, 0x00, 0x00, 0x80, 0x03, 0x00, 0x02])
const MS_FROM_1900_TO_1970 = 2_208_988_800_000
const UNITS_PER_MS = 10_000

export type SourceRequest = { readonly sourceId: number; readonly streamMsid: number }

export function dominantSpeakers(history: readonly number[]): Buffer {
  return packed([{ type: 'dsh', history }])
}

export type CaptionResult = Required<Pick<Caption, 'text' | 'final' | 'captionId'>> & {
  readonly speakerId: string
  readonly spoken: Stretch
  readonly language: string
}

export function recognitionResult({ text, final, captionId, speakerId, spoken, language }: CaptionResult): Buffer {
  const result = {
    id: captionId,
    userId: speakerId,
    text,
    isFinal: final,
    languageId: language,
    timestampAudioSent: (spoken.fromMs + MS_FROM_1900_TO_1970) * UNITS_PER_MS,
    duration: Math.max(0, spoken.toMs - spoken.fromMs) * UNITS_PER_MS,
  }
  return packed({ recognitionResults: [result] })
}

/** The subscriptions in a message of the page; sourceId -1 ends one. */
export function sourceRequestsIn(message: Buffer): readonly SourceRequest[] {
  const start = message.findIndex((byte) => byte === 0x5b || byte === 0x7b)
  if (start < 0) return []
  const content = JSON.parse(message.subarray(start).toString()) as unknown
  return (Array.isArray(content) ? content : []).flatMap((item) => {
    const info = item?.type === 'sr' ? item.controlVideoStreaming?.controlInfo : undefined
    return info ? [{ sourceId: Number(info.sourceId), streamMsid: Number(info.streamMsid) }] : []
  })
}

function packed(content: unknown): Buffer {
  return Buffer.concat([PREFIX, Buffer.from(JSON.stringify(content))])
}
