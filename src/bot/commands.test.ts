import { expect, test } from 'vitest'
import { Failure } from '../kit/failure.ts'
import { type CommandTools, perform } from './commands.ts'
import { createExplain } from './explain.ts'
import { FetchRefused } from './outgoing/fetch-media.ts'

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
