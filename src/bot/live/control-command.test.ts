import { describe, expect, test } from 'vitest'
import { readCommand } from './control-command.ts'

const AUDIO = { audiochunk: Buffer.from([1, 2, 3, 4]).toString('base64'), sample_rate: 16_000, encoding: 'pcm16', channels: 1 }
const IMAGE = Buffer.from([0x89, 0x50, 0x4e, 0x47]).toString('base64')
const read = (message: unknown, allowPrivate = false) => readCommand(JSON.stringify(message), { allowPrivate })
const zeros = (bytes: number) => Buffer.alloc(bytes).toString('base64')

describe('a command', () => {
  test.each([
    ['sendaudio', AUDIO, { pcm: Buffer.from([1, 2, 3, 4]), sampleRate: 16_000, channels: 1 }],
    ['sendaudio', { ...AUDIO, sample_rate: 48_000, channels: 2 }, { pcm: Buffer.from([1, 2, 3, 4]), sampleRate: 48_000, channels: 2 }],
    ['sendmsg', { message: 'Hello' }, { text: 'Hello' }],
    ['sendchat', { text: 'Hello' }, { text: 'Hello' }],
    ['interrupt', { action: 'clear_audio_queue' }, {}],
    ['sendimg', { img: IMAGE }, { bytes: Buffer.from([0x89, 0x50, 0x4e, 0x47]) }],
    ['sendimg_url', { img_url: 'https://pictures.example/a.png' }, { url: 'https://pictures.example/a.png' }],
  ])('is read from the field command or type: %s', (kind, fields, wanted) => {
    const command = { kind: 'command', command: { kind, ...wanted } }
    expect(read({ command: kind, ...fields })).toEqual(command)
    expect(read({ type: kind, ...fields })).toEqual(command)
    expect(read({ type: 'command', command: kind, ...fields })).toEqual(command)
  })

  test('is accepted with the largest allowed audio or image', () => {
    const [chunk, image] = [zeros(1024 * 1024), zeros(10 * 1024 * 1024)]
    expect(read({ command: 'sendaudio', ...AUDIO, audiochunk: chunk }).kind).toBe('command')
    expect(read({ command: 'sendimg', img: image }).kind).toBe('command')
  })

  test('is accepted with a private image URL only if private URLs are allowed', () => {
    const nearby = { command: 'sendimg_url', img_url: 'http://127.0.0.1:8080/a.png' }
    expect(read(nearby, true)).toMatchObject({ kind: 'command' })
    expect(read(nearby)).toMatchObject({ kind: 'invalid', message: expect.stringMatching(/^img_url /) })
  })
})

describe('an invalid command', () => {
  test.each<[string, string, object]>([
    ['sendaudio', 'audiochunk', { ...AUDIO, audiochunk: undefined }],
    ['sendaudio', 'audiochunk', { ...AUDIO, audiochunk: '' }],
    ['sendaudio', 'audiochunk', { ...AUDIO, audiochunk: 7 }],
    ['sendaudio', 'audiochunk', { ...AUDIO, audiochunk: 'AQ*D' }],
    ['sendaudio', 'audiochunk', { ...AUDIO, audiochunk: 'AQIDB' }],
    ['sendaudio', 'audiochunk', { ...AUDIO, audiochunk: 'AQ==AQID' }],
    ['sendaudio', 'audiochunk', { ...AUDIO, audiochunk: '====' }],
    ['sendaudio', 'audiochunk', { ...AUDIO, audiochunk: Buffer.from([1, 2, 3]).toString('base64') }],
    ['sendaudio', 'audiochunk', { ...AUDIO, channels: 2, audiochunk: Buffer.from([1, 2]).toString('base64') }],
    ['sendaudio', 'audiochunk', { ...AUDIO, audiochunk: zeros(1024 * 1024 + 2) }],
    ...[undefined, '16000', 7_999, 48_001, 16_000.5, null].map((sample_rate): [string, string, object] => [
      'sendaudio',
      'sample_rate',
      { ...AUDIO, sample_rate },
    ]),
    ...[undefined, 'pcm8', 'PCM16'].map((encoding): [string, string, object] => ['sendaudio', 'encoding', { ...AUDIO, encoding }]),
    ...[undefined, 0, 3, '1'].map((channels): [string, string, object] => ['sendaudio', 'channels', { ...AUDIO, channels }]),
    ['sendmsg', 'message', {}],
    ['sendmsg', 'message', { message: '' }],
    ['sendmsg', 'message', { message: ['a'] }],
    ['sendmsg', 'message', { message: 'x'.repeat(4_001) }],
    ['sendmsg', 'message', { text: 'for the other command' }],
    ['sendchat', 'text', { message: 'for the other command' }],
    ['interrupt', 'action', {}],
    ['interrupt', 'action', { action: 'stop' }],
    ['sendimg', 'img', {}],
    ['sendimg', 'img', { img: 'data:image/png;base64,AAAA' }],
    ['sendimg', 'img', { img: zeros(10 * 1024 * 1024 + 1) }],
    ['sendimg_url', 'img_url', {}],
    ['sendimg_url', 'img_url', { img_url: 'pictures.example/a.png' }],
    ['sendimg_url', 'img_url', { img_url: 'file:///etc/passwd' }],
    ['sendimg_url', 'img_url', { img_url: 'https://169.254.169.254/' }],
  ])('is answered with its field: %s, %s', (command, field, fields) => {
    const message = expect.stringMatching(new RegExp(`^${field} must `))
    expect(read({ command, ...fields })).toEqual({ kind: 'invalid', command, message })
  })

  test.each(['dance', 'toString', '__proto__', '', 7, null, {}])('is answered with the list of commands: %j', (command) => {
    const named = typeof command === 'string' ? command : null
    expect(read({ command })).toEqual({
      kind: 'invalid',
      command: named,
      message: expect.stringMatching(/^command must be one of sendaudio, /),
    })
  })

  test('is answered with its required form if its JSON is truncated', () => {
    const invalid = { kind: 'invalid', command: null, message: 'The message must be a JSON object.' }
    expect(readCommand('{"command": "sendmsg", ', { allowPrivate: false })).toEqual(invalid)
  })
})

test.each([
  { type: 'ack' },
  { command: 'ack' },
  { type: 'ack', command: 'sendaudio' },
  { type: 'ready', bot_id: 'b' },
  { type: 'gap', frames: 3 },
  { type: 'error', command: 'sendaudio', message: 'An echo.' },
  { command: 'usermsg', message: 'An echo.', speaker: 'Anna' },
  { type: 'welcome' },
  { hello: 'world' },
  {},
  [],
  'ping',
  7,
  null,
])('ignores %j', (message) => {
  expect(read(message)).toEqual({ kind: 'other' })
})

test.each(['', 'ping', 'ok {'])('ignores the heartbeat %j', (text) => {
  expect(readCommand(text, { allowPrivate: false })).toEqual({ kind: 'other' })
})
