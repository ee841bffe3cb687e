import { expect, test } from 'vitest'
import { Failure } from '../../kit/failure.ts'
import { createSerialQueue } from '../../kit/serial-queue.ts'
import { FetchRefused } from '../outgoing/fetch-media.ts'
import { type CommandTools, perform } from './commands.ts'
import { createExplain } from './problems.ts'

async function sendMessageFailing(error: Error) {
  const logged: string[] = []
  const explain = createExplain((message, detail) => logged.push(`${message}: ${detail}`))
  const tools = { chat: { write: () => Promise.reject(error) }, explain } as unknown as CommandTools
  return { problem: await perform(tools, { kind: 'send_message', text: 'Hello' }), logged }
}

test('reports an error of a library with our message and code, and logs its first line', async () => {
  const { problem, logged } = await sendMessageFailing(new Error('locator.waitFor: Timeout 4000ms exceeded.\nCall log: Hello'))
  expect(problem).toEqual({ fault: 'bot', code: 'command_failed', message: 'The bot could not execute send_message.' })
  expect(logged).toEqual(['a step of a bot failed: command_failed: locator.waitFor: Timeout 4000ms exceeded.'])
})

test('reports a Failure with its own message and code', async () => {
  const taken = await sendMessageFailing(new Failure('chat_failed', 'The meeting’s chat did not accept the message'))
  expect(taken).toEqual({
    problem: { fault: 'bot', code: 'chat_failed', message: 'The meeting’s chat did not accept the message' },
    logged: [],
  })
  const refused = await sendMessageFailing(new FetchRefused('The picture must be PNG.'))
  expect(refused.problem).toEqual({ fault: 'request', code: 'file_refused', message: 'The picture must be PNG.' })
})

/** Speaks with a microphone that starts to play when the test says so. */
function speaker() {
  const started = Promise.withResolvers<void>()
  const late: unknown[] = []
  const presence = { play: () => started.promise }
  const explain = createExplain(() => undefined)
  const tools = { presence, voice: null, serially: createSerialQueue(), onSpeechFailed: (error: unknown) => late.push(error), explain }
  const speak = (text: string, voice: string | null = null) =>
    perform(tools as unknown as CommandTools, { kind: 'speak', text, voice, language: null })
  return { started, late, speak }
}

test('accepts speech that waits behind other audio, and reports it if it fails afterwards', async () => {
  const { started, late, speak } = speaker()
  expect(await speak('Hello')).toBeNull()
  expect(late).toEqual([])
  const failure = new Failure('control_failed', 'The microphone could not be turned on')
  started.reject(failure)
  await expect.poll(() => late).toEqual([failure])
})

test('refuses an unknown voice also while other speech waits', async () => {
  const { late, speak } = speaker()
  const waiting = speak('Hello')
  expect(await speak('Hello', 'no such voice')).toMatchObject({ fault: 'request', code: 'unknown_voice' })
  expect(await waiting).toBeNull()
  expect(late).toEqual([])
})
