// The control socket at work: commands in order, interruptions at once, every complaint answered and no connection lost.

import { setImmediate } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { startLiveServer } from '../../../test/helpers/live-server.ts'
import { until } from '../../../test/helpers/until.ts'
import { toldOf } from '../../kit/failure.ts'
import type { Perform } from './command-queue.ts'
import { startControl } from './control.ts'

const READY = { type: 'ready', bot_id: 'bot-1' }
const cleanUps: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

/** A bot that remembers what it did, and does not finish what is held. */
function stage() {
  const done: string[] = []
  let held: Promise<void> | null = null
  let clearHeld: Promise<void> | null = null
  const act = async (what: string): Promise<void> => {
    done.push(what)
    await held
    if (what.includes('fail')) throw new Error('The meeting is deaf.')
  }
  const perform: Perform = {
    audio: (pcm, { sampleRate, channels }) => act(`audio ${pcm.toString('hex')} ${sampleRate} ${channels}`),
    async clearAudio() {
      done.push('clear')
      await clearHeld
    },
    image: (bytes) => act(`image ${bytes.toString('hex')}`),
    imageUrl: (url) => act(`image at ${url}`),
    chat: (text) => act(`chat ${text}`),
  }
  const holdClear = () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    clearHeld = promise
    return resolve
  }
  const hold = () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    held = promise
    return () => {
      held = null
      resolve()
    }
  }
  return { done, perform, hold, holdClear }
}

async function bench() {
  const server = await startLiveServer()
  cleanUps.push(() => server.close())
  const { done, perform, hold, holdClear } = stage()
  const problems: string[] = []
  const onProblem = (message: string) => void problems.push(message)
  const control = startControl({ url: server.url, botId: 'bot-1', allowPrivate: true, perform, onProblem, explain: toldOf })
  cleanUps.push(() => control.end())
  const connection = await server.connection(1)
  await until('the hello', () => connection.received.length === 1)
  const say = (...messages: unknown[]) => {
    for (const message of messages) connection.socket.send(typeof message === 'string' ? message : JSON.stringify(message))
  }
  return { server, control, done, hold, holdClear, problems, say, ...connection }
}

const audio = (text: string) => ({
  command: 'sendaudio',
  audiochunk: Buffer.from(text, 'hex').toString('base64'),
  sample_rate: 8_000,
  encoding: 'pcm16',
  channels: 1,
})
const chat = (message: string) => ({ command: 'sendmsg', message })

test('every command is carried out, in order', async () => {
  const { done, say, received } = await bench()
  say(
    audio('0102'),
    chat('one'),
    { type: 'sendchat', text: 'two' },
    { command: 'sendimg', img: Buffer.from('ff', 'hex').toString('base64') },
    { command: 'sendimg_url', img_url: 'https://pictures.example/a.png' },
    { type: 'ack' },
    chat('three'),
  )
  await until('the last one', () => done.includes('chat three'))
  expect(done).toEqual(['audio 0102 8000 1', 'chat one', 'chat two', 'image ff', 'image at https://pictures.example/a.png', 'chat three'])
  expect(received).toEqual([READY])
})

test('one is not begun before the one before has ended', async () => {
  const { done, say, hold, received } = await bench()
  const release = hold()
  say(chat('one'), chat('two'), { command: 'nonsense' })
  await until('everything is read', () => received.length === 2)
  expect(done).toEqual(['chat one'])
  release()
  await until('the second one', () => done.length === 2)
})

test('an interruption jumps the queue, drops the audio that waits, and nothing that comes after it', async () => {
  const { done, say, hold } = await bench()
  const release = hold()
  say(audio('0101'), audio('0202'), chat('stays'), audio('0303'), { command: 'interrupt', action: 'clear_audio_queue' }, audio('0404'))
  await until('the interruption', () => done.includes('clear'))
  expect(done).toEqual(['audio 0101 8000 1', 'clear'])
  release()
  await until('the rest', () => done.length === 4)
  expect(done.slice(2)).toEqual(['chat stays', 'audio 0404 8000 1'])
})

test('audio after an interruption waits until everything before it is cleared', async () => {
  const { done, say, holdClear, received } = await bench()
  const release = holdClear()
  const interrupt = { command: 'interrupt', action: 'clear_audio_queue' }
  say(interrupt, audio('0101'), interrupt, interrupt, audio('0202'), { command: 'nonsense' })
  await until('everything is read', () => received.length === 2)
  expect(done).toEqual(['clear'])
  release()
  await until('the audio', () => done.includes('audio 0202 8000 1'))
  expect(done).toEqual(['clear', 'clear', 'audio 0202 8000 1'])
})

test('a broken command is answered, and the next one is carried out on the same connection', async () => {
  const { done, say, received, server } = await bench()
  say({ command: 'dance' }, { ...audio('0101'), channels: 9 }, '{"command":', 'ping', { command: 'sendimg', img: 'x' }, chat('still here'))
  await until('the good one', () => done.length === 1)
  await until('the answers', () => received.length === 5)
  expect(received).toEqual([
    READY,
    { type: 'error', command: 'dance', message: expect.stringMatching(/^command must/) },
    { type: 'error', command: 'sendaudio', message: expect.stringMatching(/^channels must/) },
    { type: 'error', command: null, message: 'The message must be a JSON object.' },
    { type: 'error', command: 'sendimg', message: expect.stringMatching(/^img must/) },
  ])
  expect(server.attempts()).toBe(1)
})

test('an image that is too large is answered and does not end the connection', async () => {
  const { done, say, received, server } = await bench()
  say({ command: 'sendimg', img: Buffer.alloc(15 * 1024 * 1024).toString('base64') }, chat('still here'))
  await until('the good one', () => done.length === 1)
  await until('the answer', () => received.length === 2)
  expect(received[1]).toEqual({ type: 'error', command: 'sendimg', message: 'img must be at most 10485760 bytes.' })
  expect(server.attempts()).toBe(1)
})

test('a command that fails is answered without telling why, and the next one is carried out', async () => {
  const { done, say, received, problems } = await bench()
  say(chat('fail'), chat('go on'))
  await until('both', () => done.length === 2)
  await until('the answer', () => received.length === 2)
  expect(received[1]).toEqual({ type: 'error', command: 'sendmsg', message: 'The bot could not carry this out.' })
  expect(problems).toEqual(['The command sendmsg failed: the bot could not carry it out'])
})

test('five hundred wait, and no more', async () => {
  const { done, say, hold, received } = await bench()
  const release = hold()
  say(chat('under way'))
  await until('the first one', () => done.length === 1)
  for (let count = 1; count <= 503; count++) say(chat(`${count}`))
  await until('three answers', () => received.length === 4)
  expect(received[3]).toEqual({ type: 'error', command: 'sendmsg', message: 'Too many commands are waiting; this one is dropped.' })
  release()
  await until('the others', () => done.length === 501)
  expect(done.at(-1)).toBe('chat 500')
})

test('images wait by their size, too', async () => {
  const { done, say, hold, received } = await bench()
  const release = hold()
  say(chat('under way'))
  await until('the first one', () => done.length === 1)
  const image = { command: 'sendimg', img: Buffer.alloc(9 * 1024 * 1024).toString('base64') }
  for (let count = 1; count <= 8; count++) say(image)
  await until('an answer', () => received.length === 2, 15_000)
  expect(received[1]).toMatchObject({ command: 'sendimg', message: expect.stringMatching(/^Too many/) })
  release()
})

test('the meeting’s chat is told, and what nobody could be told is counted', async () => {
  const { control, received, reset, server, problems } = await bench()
  control.tellChat({ message: 'Hello', speaker: 'Anna' })
  await until('the message', () => received.length === 2)
  expect(received[1]).toEqual({ command: 'usermsg', message: 'Hello', speaker: 'Anna' })

  reset()
  await until('the loss is noticed', () => problems.length > 0)
  control.tellChat({ message: 'Missed', speaker: 'Anna' })
  const second = await server.connection(2)
  await until('the hello', () => second.received.length === 1)
  control.tellChat({ message: 'Heard', speaker: 'Anna' })
  await until('the message', () => second.received.length === 3)
  expect(second.received).toEqual([
    READY,
    expect.objectContaining({ type: 'gap', frames: 1 }),
    { command: 'usermsg', message: 'Heard', speaker: 'Anna' },
  ])
})

test('nothing that waits is carried out after the end', async () => {
  const { control, done, say, hold } = await bench()
  const release = hold()
  say(chat('one'), chat('two'))
  await until('the first one', () => done.length === 1)
  await control.end()
  release()
  await setImmediate()
  expect(done).toEqual(['chat one'])
})
