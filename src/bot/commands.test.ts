// A command that fails answers with a sentence and a code of ours, never with a library's text.
import { expect, test } from 'vitest'
import { Failure } from '../kit/failure.ts'
import { type CommandTools, perform } from './commands.ts'
import { createExplain } from './explain.ts'
import { Refused } from './outgoing/fetched.ts'

async function writing(error: Error) {
  const logged: string[] = []
  const explain = createExplain((message, detail) => logged.push(`${message}: ${detail}`))
  const tools = { chat: { write: () => Promise.reject(error) }, explain } as unknown as CommandTools
  return { problem: await perform(tools, { kind: 'send_message', text: 'Hello' }), logged }
}

test('an error of a library becomes a sentence with a code, and its first line is logged', async () => {
  const { problem, logged } = await writing(new Error('locator.waitFor: Timeout 4000ms exceeded.\nCall log: Hello'))
  expect(problem).toEqual({ fault: 'bot', code: 'command_failed', message: 'The bot could not carry out send_message.' })
  expect(logged).toEqual(['a step of a bot failed: command_failed: locator.waitFor: Timeout 4000ms exceeded.'])
})

test('reports an error of ours with its own sentence and code', async () => {
  const taken = await writing(new Failure('chat_failed', 'The chat of the meeting did not take the message'))
  expect(taken).toEqual({
    problem: { fault: 'bot', code: 'chat_failed', message: 'The chat of the meeting did not take the message' },
    logged: [],
  })
  const refused = await writing(new Refused('The picture must be PNG.'))
  expect(refused.problem).toEqual({ fault: 'request', code: 'file_refused', message: 'The picture must be PNG.' })
})
