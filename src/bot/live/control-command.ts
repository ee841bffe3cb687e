// Text from the caller's control socket -> a command, what is wrong with it, or nothing that is meant for us.
import { urlProblem } from '../../kit/outgoing.ts'

export type Command =
  | { readonly kind: 'sendaudio'; readonly pcm: Buffer; readonly sampleRate: number; readonly channels: number }
  | { readonly kind: 'sendmsg'; readonly text: string }
  | { readonly kind: 'sendchat'; readonly text: string }
  | { readonly kind: 'interrupt' }
  | { readonly kind: 'sendimg'; readonly bytes: Buffer }
  | { readonly kind: 'sendimg_url'; readonly url: string }

export type Reading =
  | { readonly kind: 'command'; readonly command: Command }
  | { readonly kind: 'broken'; readonly command: string | null; readonly message: string }
  | { readonly kind: 'other' }

const MEGABYTE = 1024 * 1024
const LARGEST_AUDIO_BYTES = MEGABYTE
const LARGEST_IMAGE_BYTES = 10 * MEGABYTE
const LONGEST_TEXT = 4_000
/** What both sides say about what was said. An echo of our own words must not start a conversation with ourselves. */
const NOT_COMMANDS: ReadonlySet<unknown> = new Set(['ack', 'ready', 'gap', 'error', 'usermsg'])

type Fields = Readonly<Record<string, unknown>>
type Rules = { readonly allowPrivate: boolean }
class Broken extends Error {}

export function readCommand(text: string, rules: Rules): Reading {
  // Words that never were JSON are somebody's heartbeat.
  if (!text.trimStart().startsWith('{')) return { kind: 'other' }
  const fields = parsed(text)
  if (!fields) return { kind: 'broken', command: null, message: 'The message must be a JSON object.' }
  if (NOT_COMMANDS.has(fields.type) || NOT_COMMANDS.has(fields.command)) return { kind: 'other' }
  const tag = fields.command ?? fields.type
  if (isKnown(tag)) return read(tag, fields, rules)
  // Other types are other people's; a command is meant for us.
  if (fields.command === undefined) return { kind: 'other' }
  const named = typeof tag === 'string' ? tag.slice(0, 100) : null
  return { kind: 'broken', command: named, message: `command must be one of ${Object.keys(READERS).join(', ')}.` }
}

const READERS: Readonly<Record<Command['kind'], (fields: Fields, rules: Rules) => Command>> = {
  sendaudio: (fields) => {
    const [sampleRate, channels] = [integer(fields, 'sample_rate', 8_000, 48_000), integer(fields, 'channels', 1, 2)]
    word(fields, 'encoding', 'pcm16')
    const pcm = base64(fields, 'audiochunk', LARGEST_AUDIO_BYTES)
    if (pcm.length % (2 * channels) !== 0) throw new Broken('audiochunk must be whole samples of 2 bytes for each channel.')
    return { kind: 'sendaudio', pcm, sampleRate, channels }
  },
  sendmsg: (fields) => ({ kind: 'sendmsg', text: chatText(fields, 'message') }),
  sendchat: (fields) => ({ kind: 'sendchat', text: chatText(fields, 'text') }),
  interrupt: (fields) => {
    word(fields, 'action', 'clear_audio_queue')
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
    if (error instanceof Broken) return { kind: 'broken', command: tag, message: error.message }
    throw error
  }
}

function parsed(text: string): Fields | null {
  try {
    return JSON.parse(text) as Fields
  } catch {
    return null
  }
}

function textIn(fields: Fields, name: string): string {
  const value = fields[name]
  if (typeof value !== 'string' || value === '') throw new Broken(`${name} must be a string that is not empty.`)
  return value
}

function chatText(fields: Fields, name: string): string {
  const text = textIn(fields, name)
  if (text.length > LONGEST_TEXT) throw new Broken(`${name} must be at most ${LONGEST_TEXT} characters.`)
  return text
}

function word(fields: Fields, name: string, wanted: string): void {
  if (fields[name] !== wanted) throw new Broken(`${name} must be ${wanted}.`)
}

function integer(fields: Fields, name: string, least: number, most: number): number {
  const value = fields[name]
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value
  throw new Broken(`${name} must be an integer from ${least} to ${most}.`)
}

function base64(fields: Fields, name: string, mostBytes: number): Buffer {
  const text = textIn(fields, name)
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const length = (text.length / 4) * 3 - padding
  if (length > mostBytes) throw new Broken(`${name} must be at most ${mostBytes} bytes.`)
  const bytes = Buffer.from(text, 'base64')
  // The decoder leaves out what it does not know, and then there is less than there should be.
  if (bytes.length !== length) throw new Broken(`${name} must be base64.`)
  return bytes
}

function webAddress(fields: Fields, name: string, { allowPrivate }: Rules): string {
  const url = textIn(fields, name)
  const problem = urlProblem(url, { schemes: ['https'], allowPrivate })
  if (problem) throw new Broken(`${name} ${problem}`)
  return url
}
