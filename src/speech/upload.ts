// What is sent to a vendor: JSON, a sound as it is, or a form around it. A sound is read while it is sent, never held.
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { JsonObject } from '../domain/bot.ts'
import { SpeechFailed } from './provider.ts'

/** One sound, ready to be sent. */
export type Sound = {
  readonly name: string
  readonly type: string
  readonly bytes: number
  readonly seconds: number
  /** From its start, each time. */
  open(): Readable
}

export type Upload = {
  readonly headers: Readonly<Record<string, string>>
  /** Made anew for every try. */
  content(): Readable | string
}

export function jsonUpload(value: JsonObject): Upload {
  return { headers: { 'content-type': 'application/json' }, content: () => JSON.stringify(value) }
}

export function soundUpload(sound: Sound, type = sound.type): Upload {
  return { headers: { 'content-type': type, 'content-length': String(sound.bytes) }, content: () => sound.open() }
}

/** A form with the sound in its field `file`. */
export function formUpload(fields: readonly (readonly [string, string])[], sound: Sound): Upload {
  const boundary = `emissary-${randomUUID()}`
  const part = (head: string) => `--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n`
  const before = Buffer.from(
    fields.map(([name, value]) => `${part(`name="${fieldName(name)}"`)}${value}\r\n`).join('') +
      part(`name="file"; filename="${sound.name}"\r\nContent-Type: ${sound.type}`),
  )
  const after = Buffer.from(`\r\n--${boundary}--\r\n`)
  async function* content(): AsyncGenerator<Uint8Array> {
    yield before
    for await (const chunk of sound.open()) yield chunk
    yield after
  }
  return {
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(before.length + sound.bytes + after.length),
    },
    content: () => Readable.from(content()),
  }
}

/** Names come from callers, and one with a quote or a line break would write the form anew. */
function fieldName(name: string): string {
  if (/^[\w.[\]-]{1,100}$/.test(name)) return name
  throw new SpeechFailed(`The provider option ${JSON.stringify(name.slice(0, 60))} has no usable name.`, { passing: false })
}
