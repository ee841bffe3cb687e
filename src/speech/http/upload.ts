// Request bodies for vendors: JSON, audio, or a form with audio. Audio is streamed from the file.
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { JsonObject } from '../../domain/bot.ts'
import { SpeechFailed } from '../provider.ts'

export type AudioFile = {
  readonly name: string
  readonly type: string
  readonly bytes: number
  readonly seconds: number
  /** A new stream from the start for each try. */
  open(): Readable
}

export type Upload = {
  readonly headers: Readonly<Record<string, string>>
  readonly audioSeconds?: number
  /** A new body for each try. */
  content(): Readable | string
}

export function jsonUpload(value: JsonObject): Upload {
  return { headers: { 'content-type': 'application/json' }, content: () => JSON.stringify(value) }
}

export function audioUpload(audio: AudioFile, type = audio.type): Upload {
  const headers = { 'content-type': type, 'content-length': String(audio.bytes) }
  return { headers, audioSeconds: audio.seconds, content: () => audio.open() }
}

/** A multipart form with the audio in the field `file`. */
export function formUpload(fields: readonly (readonly [string, string])[], audio: AudioFile): Upload {
  const boundary = `emissary-${randomUUID()}`
  const part = (head: string) => `--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n`
  const before = Buffer.from(
    fields.map(([name, value]) => `${part(`name="${fieldName(name)}"`)}${value}\r\n`).join('') +
      part(`name="file"; filename="${audio.name}"\r\nContent-Type: ${audio.type}`),
  )
  const after = Buffer.from(`\r\n--${boundary}--\r\n`)
  async function* content(): AsyncGenerator<Uint8Array> {
    yield before
    for await (const chunk of audio.open()) yield chunk
    yield after
  }
  return {
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(before.length + audio.bytes + after.length),
    },
    audioSeconds: audio.seconds,
    content: () => Readable.from(content()),
  }
}

/** Option names come from callers, and a quote or a line break could inject form fields. */
function fieldName(name: string): string {
  if (/^[\w.[\]-]{1,100}$/.test(name)) return name
  throw new SpeechFailed(
    `The provider option ${JSON.stringify(name.slice(0, 60))} has an invalid name: use letters, digits, dots, hyphens, underscores and brackets.`,
    { retryable: false },
  )
}
