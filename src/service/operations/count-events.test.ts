import { beforeEach, expect, test } from 'vitest'
import type { BotId, WorkspaceId } from '../../domain/bot.ts'
import type { BotMoved } from '../fleet/fleet-events.ts'
import { countAttempt, countEvents } from './count-events.ts'
import { createMetrics, formatMetrics, type Metrics } from './metrics.ts'

const botId = 'bot_1' as BotId
const at = (seconds: number): Date => new Date(1_000_000 + seconds * 1000)

let metrics: Metrics
beforeEach(() => {
  metrics = createMetrics()
})
const text = async (accept = ''): Promise<string> => (await formatMetrics(metrics, accept)).text

function moved(change: Partial<BotMoved>): void {
  countEvents(metrics)({
    kind: 'moved',
    botId,
    workspaceId: 'wsp_1' as WorkspaceId,
    platform: 'google_meet',
    by: 'admitted',
    from: 'InWaitingRoom',
    since: at(0),
    to: 'InMeeting',
    at: at(9),
    reason: null,
    createdAt: at(0),
    joinAt: null,
    hadEntered: false,
    ...change,
  })
}

test('counts each join with its outcome once, and each end of a bot', async () => {
  moved({})
  moved({ to: 'Denied', from: 'Leaving', by: 'refused', reason: 'HostDenied' })
  moved({ to: 'Error', from: 'Leaving', by: 'failed', reason: 'WorkerLost', hadEntered: true })
  moved({ to: 'Cancelled', from: 'Scheduled', by: 'cancelled' })
  moved({ to: 'Done', from: 'MediaProcessing', by: 'processing_finished', hadEntered: true })
  const joins = (await text()).split('\n').filter((line) => line.startsWith('emissary_join_outcomes_total'))
  expect(joins).toEqual([
    'emissary_join_outcomes_total{platform="GMeet",outcome="InMeeting",reason=""} 1',
    'emissary_join_outcomes_total{platform="GMeet",outcome="Denied",reason="HostDenied"} 1',
  ])
  const ended = (await text()).split('\n').filter((line) => line.startsWith('emissary_bots_ended_total'))
  expect(ended.map((line) => /status="(\w+)"/.exec(line)?.[1])).toEqual(['Denied', 'Error', 'Cancelled'])
})

test('measures lateness of scheduled bots only, from the join time to the request to join', async () => {
  moved({ to: 'InWaitingRoom', from: 'Joining', by: 'join_requested' })
  expect(await text()).not.toContain('emissary_scheduled_lateness_seconds_count{')
  moved({ to: 'InWaitingRoom', from: 'Joining', by: 'join_requested', joinAt: at(5) })
  moved({ to: 'InWaitingRoom', from: 'Joining', by: 'join_requested', joinAt: at(20) })
  expect(await text()).toContain('emissary_scheduled_lateness_seconds_sum{platform="GMeet"} 4\n')
  expect(await text()).toContain('emissary_scheduled_lateness_seconds_count{platform="GMeet"} 2\n')
})

test('measures the lag of a delivered event, apart from later attempts', async () => {
  const attempt = { botId, eventId: 'msg_1', createdAt: at(0), at: at(1), durationMs: 500, httpStatus: 200 }
  countAttempt(metrics, { ...attempt, number: 1, outcome: 'queued' })
  countAttempt(metrics, { ...attempt, number: 2, outcome: 'delivered' })
  countAttempt(metrics, { ...attempt, number: 1, outcome: 'delivered' })
  expect(await text()).toContain('emissary_delivery_lag_seconds_sum{attempt="first"} 1.5\n')
  expect(await text()).toContain('emissary_delivery_lag_seconds_count{attempt="later"} 1\n')
  expect(await text()).toContain('emissary_delivery_attempt_seconds_count{outcome="queued"} 1\n')
})

test('counts lost frames by cause, and measures live outputs', async () => {
  countEvents(metrics)({ kind: 'measured', botId, lostFrames: { page: 2, recording: 0 }, liveAudioMs: 80, liveWordsMs: [900, 700] })
  countEvents(metrics)({ kind: 'measured', botId, lostFrames: { page: 1, recording: 4 }, liveAudioMs: null, liveWordsMs: [] })
  expect(await text()).toContain('emissary_frames_lost_total{cause="page"} 3\nemissary_frames_lost_total{cause="recording"} 4\n')
  expect(await text()).toContain('emissary_live_delay_seconds_sum{output="audio"} 0.08\n')
  expect(await text()).toContain('emissary_live_delay_seconds_count{output="words"} 2\n')
})

test('names a bot beside each bucket, for a scraper that accepts OpenMetrics only', async () => {
  countEvents(metrics)({ kind: 'lost', botId, reason: 'PageFrozen' })
  countEvents(metrics)({ kind: 'returned', botId, lostAt: at(0), at: at(4) })
  const open = await text('application/openmetrics-text;version=1.0.0,text/plain;q=0.5')
  expect(open).toMatch(/^emissary_absence_seconds_bucket\{le="5"\} 1 # \{bot_id="bot_1"\} 4 /m)
  expect(open).toContain('# TYPE emissary_losses counter\nemissary_losses_total{reason="PageFrozen"} 1')
  expect(open.endsWith('# EOF\n')).toBe(true)
  const plain = await text('text/plain')
  expect(plain).toContain('# TYPE emissary_losses_total counter\nemissary_losses_total{reason="PageFrozen"} 1')
  expect(plain).toMatch(/^emissary_absence_seconds_bucket\{le="5"\} 1$/m)
  expect(plain).not.toContain('# EOF')
})
