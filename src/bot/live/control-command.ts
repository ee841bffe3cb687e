// Parses a text message of the control socket into a command, an error, or a message that is none of ours.
import { isJsonObject } from '../../domain/bot.ts'
import { urlProblem } from '../../kit/http-client.ts'
import { parsedOrNull } from '../../kit/parsed-or-null.ts'

export type Command =
  | { readonly kind: 'sendaudio'; readonly pcm: Buffer; readonly sampleRate: number; readonly channels: number }
  | { readonly kind: 'sendmsg'; readonly text: string }
  | { readonly kind: 'sendchat'; readonly text: string }
  | { readonly kind: 'interrupt' }
  | { readonly kind: 'sendimg'; readonly bytes: Buffer }
  | { readonly kind: 'sendimg_url'; readonly url: string }

export type Reading =
  | { readonly kind: 'command'; readonly command: Command }
  | { readonly kind: 'invalid'; readonly command: string | null; readonly message: string }
  | { readonly kind: 'other' }

const MEGABYTE = 1024 * 1024
const LARGEST_AUDIO_BYTES = MEGABYTE
const LARGEST_IMAGE_BYTES = 10 * MEGABYTE
const LONGEST_TEXT = 4_000
/** Messages of the socket's own protocol. A server that echoes ours must not start a loop. */
const NOT_COMMANDS: ReadonlySet<unknown> = new Set(['ack', 'ready', 'gap', 'error', 'usermsg'])

type Fields = Readonly<Record<string, unknown>>
type Rules = { readonly allowPrivate: boolean }
class InvalidCommand extends Error {}

export function readCommand(text: string, rules: Rules): Reading {
  // Text that is not JSON is some server's heartbeat.
  if (!text.trimStart().startsWith('{')) return { kind: 'other' }
  const fields = parsedOrNull(text)
  if (!isJsonObject(fields)) return { kind: 'invalid', command: null, message: 'The message must be a JSON object.' }
  if (NOT_COMMANDS.has(fields.type) || NOT_COMMANDS.has(fields.command)) return { kind: 'other' }
  const tag = fields.command ?? fields.type
  if (isKnown(tag)) return read(tag, fields, rules)
  // Unknown types are ignored. An unknown command is an error.
  if (fields.command === undefined) return { kind: 'other' }
  const named = typeof tag === 'string' ? tag.slice(0, 100) : null
  return { kind: 'invalid', command: named, message: `command must be one of ${Object.keys(READERS).join(', ')}.` }
}

const READERS: Readonly<Record<Command['kind'], (fields: Fields, rules: Rules) => Command>> = {
  sendaudio: (fields) => {
    const [sampleRate, channels] = [integer(fields, 'sample_rate', 8_000, 48_000), integer(fields, 'channels', 1, 2)]
    literal(fields, 'encoding', 'pcm16')
    const pcm = base64(fields, 'audiochunk', LARGEST_AUDIO_BYTES)
    if (pcm.length % (2 * channels) !== 0) throw new InvalidCommand('audiochunk must contain whole samples: 2 bytes for each channel.')
    return { kind: 'sendaudio', pcm, sampleRate, channels }
  },
  sendmsg: (fields) => ({ kind: 'sendmsg', text: chatText(fields, 'message') }),
  sendchat: (fields) => ({ kind: 'sendchat', text: chatText(fields, 'text') }),
  interrupt: (fields) => {
    literal(fields, 'action', 'clear_audio_queue')
    return { kind: 'interrupt' }
  },
  sendimg: (fields) => ({ kind: 'sendimg', bytes: base64(fields, 'img', LARGEST_IMAGE_BYTES) }),
  sendimg_url: (fields, rules) => ({ kind: 'sendimg_url', url: webAddress(fields, 'img_url', rules) }),
}

function isKnown(tag: unknown): tag is Command['kind'] {
  return typeof tag === 'string' && Object.hasOwn(READERS, tag)
}

function read(tag: Command['kind'], fields: Fields, rules: Rules): Reading {
  try {
    return { kind: 'command', command: READERS[tag](fields, rules) }
  } catch (error) {
    if (error instanceof InvalidCommand) return { kind: 'invalid', command: tag, message: error.message }
    throw error
  }
}

function textIn(fields: Fields, name: string): string {
  const value = fields[name]
  if (typeof value !== 'string' || value === '') throw new InvalidCommand(`${name} must be a non-empty string.`)
  return value
}

function chatText(fields: Fields, name: string): string {
  const text = textIn(fields, name)
  if (text.length > LONGEST_TEXT) throw new InvalidCommand(`${name} must be at most ${LONGEST_TEXT} characters.`)
  return text
}

function literal(fields: Fields, name: string, wanted: string): void {
  if (fields[name] !== wanted) throw new InvalidCommand(`${name} must be ${wanted}.`)
}

function integer(fields: Fields, name: string, least: number, most: number): number {
  const value = fields[name]
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value
  throw new InvalidCommand(`${name} must be an integer from ${least} to ${most}.`)
}

function base64(fields: Fields, name: string, mostBytes: number): Buffer {
  const text = textIn(fields, name)
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const length = (text.length / 4) * 3 - padding
  if (length > mostBytes) throw new InvalidCommand(`${name} must be at most ${mostBytes} bytes.`)
  const bytes = Buffer.from(text, 'base64')
  // The decoder skips invalid characters, so invalid input gives fewer bytes.
  if (bytes.length !== length) throw new InvalidCommand(`${name} must be base64.`)
  return bytes
}

function webAddress(fields: Fields, name: string, { allowPrivate }: Rules): string {
  const url = textIn(fields, name)
  const problem = urlProblem(url, { schemes: ['https'], allowPrivate })
  if (problem) throw new InvalidCommand(`${name} ${problem}`)
  return url
}
