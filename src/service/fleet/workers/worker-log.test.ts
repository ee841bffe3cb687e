// Log lines of workers in the service's log.
import { expect, test } from 'vitest'
import type { BotId } from '../../../domain/bot.ts'
import type { Logger } from '../../../kit/log.ts'
import { WorkerLogger } from './worker-log.ts'

function bench() {
  const lines: unknown[][] = []
  const write =
    (level: string) =>
    (...line: unknown[]) =>
      void lines.push([level, ...line])
  let nowMs = 0
  const log = new WorkerLogger(
    { info: write('info'), warn: write('warn'), error: write('error') } as unknown as Logger,
    () => 77,
    () => nowMs,
  )
  const pass = (ms: number) => {
    nowMs += ms
  }
  return { log, lines, pass }
}

test('writes a line with the pid of the worker and the id of the bot, without links', () => {
  const { log, lines } = bench()
  const botId = 'bot_0123456789abcdefghijklmnop' as BotId
  log.write({ level: 'error', botId, message: 'a bot could not start', detail: 'goto https://meet.google.com/abc-defg-hij failed' })
  log.onEvent({ kind: 'stderr', text: 'Error: boom\n    at x (node:internal/y:1:1)\n' })
  expect(lines).toEqual([
    ['error', { workerPid: 77, botId, detail: 'goto <link> failed' }, 'a bot could not start'],
    ['warn', { workerPid: 77, detail: 'Error: boom\n    at x (node:internal/y:1:1)' }, 'a worker wrote to its stderr'],
  ])
})

test('drops the lines of a worker beyond 60 a minute, and logs that once', () => {
  const { log, lines, pass } = bench()
  for (let count = 0; count < 100; count++) log.write({ level: 'info', botId: null, message: 'again' })
  expect(lines).toHaveLength(61)
  expect(lines.at(-1)?.at(-1)).toContain('logs too much')
  pass(60_001)
  log.write({ level: 'info', botId: null, message: 'later' })
  expect(lines.at(-1)).toEqual(['info', { workerPid: 77 }, 'later'])
})

test('drops a line of an unknown level, and truncates a long one', () => {
  const { log, lines } = bench()
  log.write({ level: 'child' as 'info', botId: null, message: 'x' })
  expect(lines).toEqual([])
  log.write({ level: 'info', botId: null, message: 'x', detail: 'word '.repeat(10_000) })
  expect(JSON.stringify(lines).length).toBeLessThan(2_100)
})
