import { setImmediate } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { startLiveServer } from '../../../test/helpers/callers/live-server.ts'
import { until } from '../../../test/helpers/until.ts'
import { publicErrorOf } from '../../kit/failure.ts'
import type { CommandActions } from './command-queue.ts'
import { startControl } from './control-socket.ts'

const READY = { type: 'ready', bot_id: 'bot-1' }
const cleanUps: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

/** Records the actions of a bot. A held action does not finish. */
function recordedActions() {
  const done: string[] = []
  let held: Promise<void> | null = null
  let clearHeld: Promise<void> | null = null
  const act = async (action: string): Promise<void> => {
    done.push(action)
    await held
    if (action.includes('fail')) throw new Error('The meeting does not respond.')
  }
  const perform: CommandActions = {
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

async function openControl() {
  const server = await startLiveServer()
  cleanUps.push(() => server.close())
  const { done, perform, hold, holdClear } = recordedActions()
  const problems: string[] = []
  const onProblem = (message: string) => void problems.push(message)
  const control = startControl({ url: server.url, botId: 'bot-1', allowPrivate: true, perform, onProblem, explain: publicErrorOf })
  cleanUps.push(() => control.end())
  const connection = await server.connection(1)
  await until('the hello', () => connection.received.length === 1)
  const send = (...messages: unknown[]) => {
    for (const message of messages) connection.socket.send(typeof message === 'string' ? message : JSON.stringify(message))
  }
  return { server, control, done, hold, holdClear, problems, send, ...connection }
}

const audio = (text: string) => ({
  command: 'sendaudio',
  audiochunk: Buffer.from(text, 'hex').toString('base64'),
  sample_rate: 8_000,
  encoding: 'pcm16',
  channels: 1,
})
const chat = (message: string) => ({ command: 'sendmsg', message })

test('executes every command in order', async () => {
  const { done, send, received } = await openControl()
  send(
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

test('starts a command only after the one before has ended', async () => {
  const { done, send, hold, received } = await openControl()
  const release = hold()
  send(chat('one'), chat('two'), { command: 'nonsense' })
  await until('all messages are read', () => received.length === 2)
  expect(done).toEqual(['chat one'])
  release()
  await until('the second one', () => done.length === 2)
})

test('executes an interrupt at once, drops queued audio, and keeps audio that follows it', async () => {
  const { done, send, hold } = await openControl()
  const release = hold()
  send(audio('0101'), audio('0202'), chat('stays'), audio('0303'), { command: 'interrupt', action: 'clear_audio_queue' }, audio('0404'))
  await until('the interruption', () => done.includes('clear'))
  expect(done).toEqual(['audio 0101 8000 1', 'clear'])
  release()
  await until('the rest', () => done.length === 4)
  expect(done.slice(2)).toEqual(['chat stays', 'audio 0404 8000 1'])
})

test('holds audio that follows an interrupt until the earlier audio is cleared', async () => {
  const { done, send, holdClear, received } = await openControl()
  const release = holdClear()
  const interrupt = { command: 'interrupt', action: 'clear_audio_queue' }
  send(interrupt, audio('0101'), interrupt, interrupt, audio('0202'), { command: 'nonsense' })
  await until('all messages are read', () => received.length === 2)
  expect(done).toEqual(['clear'])
  release()
  await until('the audio', () => done.includes('audio 0202 8000 1'))
  expect(done).toEqual(['clear', 'clear', 'audio 0202 8000 1'])
})

test('answers an invalid command with an error, and executes the next one on the same connection', async () => {
  const { done, send, received, server } = await openControl()
  send({ command: 'dance' }, { ...audio('0101'), channels: 9 }, '{"command":', 'ping', { command: 'sendimg', img: 'x' }, chat('next'))
  await until('the valid command', () => done.length === 1)
  await until('the errors', () => received.length === 5)
  expect(received).toEqual([
    READY,
    { type: 'error', command: 'dance', message: expect.stringMatching(/^command must/) },
    { type: 'error', command: 'sendaudio', message: expect.stringMatching(/^channels must/) },
    { type: 'error', command: null, message: 'The message must be a JSON object.' },
    { type: 'error', command: 'sendimg', message: expect.stringMatching(/^img must/) },
  ])
  expect(server.attempts()).toBe(1)
})

test('answers an image that is too large with an error, and keeps the connection', async () => {
  const { done, send, received, server } = await openControl()
  send({ command: 'sendimg', img: Buffer.alloc(15 * 1024 * 1024).toString('base64') }, chat('next'))
  await until('the valid command', () => done.length === 1)
  await until('the error', () => received.length === 2)
  expect(received[1]).toEqual({ type: 'error', command: 'sendimg', message: 'img must be at most 10485760 bytes.' })
  expect(server.attempts()).toBe(1)
})

test('answers a failed command without its reason, and executes the next one', async () => {
  const { done, send, received, problems } = await openControl()
  send(chat('fail'), chat('go on'))
  await until('both', () => done.length === 2)
  await until('the error', () => received.length === 2)
  expect(received[1]).toEqual({ type: 'error', command: 'sendmsg', message: 'The bot could not execute this command.' })
  expect(problems).toEqual(['The command sendmsg failed: the bot could not execute it'])
})

test('queues at most 500 commands', async () => {
  const { done, send, hold, received } = await openControl()
  const release = hold()
  send(chat('under way'))
  await until('the first one', () => done.length === 1)
  for (let count = 1; count <= 503; count++) send(chat(`${count}`))
  await until('three errors', () => received.length === 4)
  expect(received[3]).toEqual({ type: 'error', command: 'sendmsg', message: 'Too many commands are waiting, so this one is dropped.' })
  release()
  await until('the others', () => done.length === 501)
  expect(done.at(-1)).toBe('chat 500')
})

test('limits the queue by the size of images', async () => {
  const { done, send, hold, received } = await openControl()
  const release = hold()
  send(chat('under way'))
  await until('the first one', () => done.length === 1)
  const image = { command: 'sendimg', img: Buffer.alloc(9 * 1024 * 1024).toString('base64') }
  for (let count = 1; count <= 8; count++) send(image)
  await until('an error', () => received.length === 2, 15_000)
  expect(received[1]).toMatchObject({ command: 'sendimg', message: expect.stringMatching(/^Too many/) })
  release()
})

test('sends the meeting chat, and reports messages that could not be sent as a gap', async () => {
  const { control, received, reset, server, problems } = await openControl()
  control.sendChat({ message: 'Hello', speaker: 'Anna' })
  await until('the message', () => received.length === 2)
  expect(received[1]).toEqual({ command: 'usermsg', message: 'Hello', speaker: 'Anna' })

  reset()
  await until('the loss is noticed', () => problems.length > 0)
  control.sendChat({ message: 'Missed', speaker: 'Anna' })
  const second = await server.connection(2)
  await until('the hello', () => second.received.length === 1)
  control.sendChat({ message: 'Received', speaker: 'Anna' })
  await until('the message', () => second.received.length === 3)
  expect(second.received).toEqual([
    READY,
    expect.objectContaining({ type: 'gap', frames: 1 }),
    { command: 'usermsg', message: 'Received', speaker: 'Anna' },
  ])
})

test('executes no queued command after the end', async () => {
  const { control, done, send, hold } = await openControl()
  const release = hold()
  send(chat('one'), chat('two'))
  await until('the first one', () => done.length === 1)
  await control.end()
  release()
  await setImmediate()
  expect(done).toEqual(['chat one'])
})
