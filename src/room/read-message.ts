// Validates messages from pages. An invalid one yields a reason that names the field.
import { isJsonObject, type JsonObject } from '../domain/bot.ts'
import { type Candidate, type ClientMessage, MEDIA_KINDS, type MediaState, type Signal } from './wire.ts'

export type Reading = ClientMessage | { readonly kind: 'unreadable'; readonly detail: string }

const MOST_TEXT = 4_000
const MOST_SDP = 48_000

class Unreadable extends Error {}

export function readMessage(text: string): Reading {
  try {
    const fields = fieldsOf(JSON.parse(text), 'The message')
    const reader = typeof fields.kind === 'string' && Object.hasOwn(READERS, fields.kind) ? READERS[fields.kind as Kind] : undefined
    if (!reader) throw new Unreadable(`kind must be one of ${Object.keys(READERS).join(', ')}.`)
    return reader(fields)
  } catch (error) {
    if (error instanceof Unreadable) return { kind: 'unreadable', detail: error.message }
    return { kind: 'unreadable', detail: 'The message must be JSON.' }
  }
}

type Kind = ClientMessage['kind']

const READERS: Readonly<Record<Kind, (fields: JsonObject) => ClientMessage>> = {
  join: (fields) => ({
    kind: 'join',
    name: textOf(fields, 'name', MOST_TEXT),
    bot: flagOf(fields, 'bot'),
    lobby: flagOf(fields, 'lobby'),
    media: mediaOf(fields.media),
  }),
  resume: (fields) => ({ kind: 'resume', token: textOf(fields, 'token', 100) }),
  signal: (fields) => ({ kind: 'signal', to: textOf(fields, 'to', 100), signal: signalOf(fields.signal) }),
  chat: (fields) => ({ kind: 'chat', text: textOf(fields, 'text', MOST_TEXT) }),
  media: (fields) => ({ kind: 'media', media: mediaOf(fields.media) }),
  admit: (fields) => ({ kind: 'admit', whom: textOf(fields, 'whom', 100) }),
  refuse: (fields) => ({ kind: 'refuse', whom: textOf(fields, 'whom', 100) }),
  remove: (fields) => ({ kind: 'remove', whom: textOf(fields, 'whom', 100) }),
  end: () => ({ kind: 'end' }),
  leave: () => ({ kind: 'leave' }),
}

function signalOf(value: unknown): Signal {
  const fields = fieldsOf(value, 'signal')
  if (fields.description !== undefined) {
    const description = fieldsOf(fields.description, 'signal.description')
    const { type } = description
    if (type !== 'offer' && type !== 'answer') throw new Unreadable('signal.description.type must be offer or answer.')
    return { description: { type, sdp: textOf(description, 'sdp', MOST_SDP) } }
  }
  return { candidate: candidateOf(fieldsOf(fields.candidate, 'signal.candidate')) }
}

function candidateOf(fields: JsonObject): Candidate {
  const { sdpMLineIndex } = fields
  if (sdpMLineIndex !== null && !Number.isInteger(sdpMLineIndex)) throw new Unreadable('sdpMLineIndex must be a whole number or null.')
  return {
    candidate: textOf(fields, 'candidate', MOST_TEXT),
    sdpMid: textOrNull(fields, 'sdpMid'),
    sdpMLineIndex: sdpMLineIndex as number | null,
    usernameFragment: textOrNull(fields, 'usernameFragment'),
  }
}

function mediaOf(value: unknown): MediaState {
  const fields = fieldsOf(value, 'media')
  return Object.fromEntries(MEDIA_KINDS.map((kind) => [kind, flagOf(fields, kind)])) as MediaState
}

function fieldsOf(value: unknown, name: string): JsonObject {
  if (!isJsonObject(value)) throw new Unreadable(`${name} must be an object.`)
  return value
}

function textOf(fields: JsonObject, name: string, most: number): string {
  const value = fields[name]
  if (typeof value !== 'string') throw new Unreadable(`${name} must be text.`)
  if (value.length > most) throw new Unreadable(`${name} has more than ${most} characters.`)
  return value
}

function textOrNull(fields: JsonObject, name: string): string | null {
  return fields[name] === null ? null : textOf(fields, name, 300)
}

function flagOf(fields: JsonObject, name: string): boolean {
  const value = fields[name]
  if (typeof value !== 'boolean') throw new Unreadable(`${name} must be true or false.`)
  return value
}
