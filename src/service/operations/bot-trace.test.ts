import { expect, test } from 'vitest'
import type { BotId, WorkspaceId } from '../../domain/bot.ts'
import type { BotMoved } from '../fleet/fleet-events.ts'
import { attemptSpan, type FinishedSpan, placeOf, requestSpan, traceEvents } from './bot-trace.ts'

const botId = 'bot_1' as BotId
const at = (seconds: number): Date => new Date(1_000_000 + seconds * 1000)

function spansOf(change: Partial<BotMoved>): readonly FinishedSpan[] {
  const spans: FinishedSpan[] = []
  traceEvents((span) => void spans.push(span))({
    kind: 'moved',
    botId,
    workspaceId: 'wsp_1' as WorkspaceId,
    platform: 'google_meet',
    by: 'admitted',
    from: 'InWaitingRoom',
    since: at(3),
    to: 'InMeeting',
    at: at(9),
    reason: null,
    createdAt: at(0),
    joinAt: null,
    hadEntered: false,
    ...change,
  })
  return spans
}

test('derives valid ids from the bot id', () => {
  expect(placeOf(botId)).toEqual({ traceId: expect.stringMatching(/^[0-9a-f]{32}$/), spanId: expect.stringMatching(/^[0-9a-f]{16}$/) })
  expect(placeOf(botId)).toEqual(placeOf(botId))
  expect(placeOf('bot_2' as BotId)).not.toEqual(placeOf(botId))
})

test('ends the span of a status with the next status', () => {
  expect(spansOf({})).toMatchObject([{ name: 'InWaitingRoom', from: at(3), to: at(9), parent: placeOf(botId), isFailed: false }])
})

test('adds the span of the whole bot at its end only', () => {
  const names = (change: Partial<BotMoved>) => spansOf(change).map(({ name }) => name)
  expect(names({ from: 'Leaving', to: 'Stopped', by: 'left' })).toEqual(['Leaving'])
  expect(names({ from: 'Scheduled', to: 'Cancelled', by: 'cancelled' })).toEqual(['Scheduled', 'bot'])
  expect(names({ from: 'Leaving', to: 'Denied', by: 'refused' })).toEqual(['Leaving', 'bot'])
  const [, whole] = spansOf({ from: 'MediaProcessing', to: 'Done', by: 'processing_finished' })
  expect(whole).toMatchObject({ name: 'bot', place: placeOf(botId), parent: null, from: at(0), to: at(9), isFailed: false })
})

test('puts the request into the trace of its caller, or into the trace of the bot', () => {
  const parentFor = (traceparent: string | undefined) => requestSpan(botId, { traceparent, from: at(0), to: at(1) }).parent
  const caller = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' }
  expect(parentFor(`00-${caller.traceId}-${caller.spanId}-01`)).toEqual(caller)
  const unrecorded = `00-${caller.traceId}-${caller.spanId}-00`
  for (const invalid of [
    undefined,
    '',
    'x',
    unrecorded,
    `00-${'0'.repeat(32)}-${caller.spanId}-01`,
    `00-${caller.traceId}-${'0'.repeat(16)}-01`,
  ])
    expect(parentFor(invalid), invalid).toEqual(placeOf(botId))
})

test('marks an attempt that was not delivered as failed', () => {
  const attempt = { botId, eventId: 'msg_1', createdAt: at(0), at: at(1), durationMs: 500, number: 2, httpStatus: null }
  expect(attemptSpan({ ...attempt, outcome: 'queued' })).toMatchObject({ isFailed: true, from: at(1), to: at(1.5), kind: 'client' })
  expect(attemptSpan({ ...attempt, httpStatus: 200, outcome: 'delivered' })).toMatchObject({
    isFailed: false,
    attributes: { 'http.response.status_code': 200, 'delivery.attempt': 2 },
  })
})
