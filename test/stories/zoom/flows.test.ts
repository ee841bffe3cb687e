// Bots of a whole service in Zoom meetings: every answer to the request to record, and the statuses of a failed join. One host for all.
import { expect, onTestFinished, test } from 'vitest'
import { openForFile } from '../../helpers/for-file.ts'
import { fetchDelivery } from '../../helpers/media/delivered.ts'
import { ZoomStage } from '../../helpers/meetings/zoom.ts'
import { until } from '../../helpers/until.ts'

const LONG = { timeout: 120_000 }
const SOON = 30_000
/** The media that must be on the disk. */
const ENOUGH_MS = 2_000
/** The last frame of a recording may be shown for as long. */
const FRAME_MS = 500

const stage = openForFile(() => ZoomStage.open(), 120_000)

type Timeline = Readonly<Record<string, { readonly message: string; readonly timestamp: string }>>

/** The stages of the stay, in order. */
async function timelineOf(id: string): Promise<{ readonly stages: readonly string[]; readonly timeline: Timeline }> {
  const { StatusTimeline: timeline } = (await stage.has(id, 'Done', 90_000)) as { StatusTimeline: Timeline }
  const names = Object.keys(timeline).filter((name) => name !== 'Scheduled')
  const last = names.findIndex((name) => ['Stopped', 'Error', 'Denied'].includes(name))
  return { stages: names.slice(0, last + 1), timeline }
}

const DENIED = ['Joining', 'InWaitingRoom', 'InMeeting', 'RecordingPermissionDenied', 'Leaving', 'Stopped']

test('leaves without a recording when the host does not answer within recording_permission_denied_timeout', LONG, async () => {
  const meeting = stage.zoom.meeting()
  await meeting.call.join({ name: 'Ann', host: true, voice: 440, colour: '#2040c0' })
  const id = await stage.sendWithLeave(meeting, { recordingPermissionSeconds: 5 })
  await until('the host is asked', () => meeting.recording.requests.length > 0, SOON)
  const { stages, timeline } = await timelineOf(id)
  expect(stages).toEqual(DENIED)
  expect(timeline.RecordingPermissionDenied?.message).toContain('The host did not answer the request to record within 5 s')
  expect(meeting.recording.changes).toEqual([])
  expect((await stage.detail(id)).delivered).toMatchObject({ audio_seconds: 0, video_seconds: 0, segments: 0 })
})

test('leaves without a recording when the host denies all requests', LONG, async () => {
  const meeting = stage.zoom.meeting({ requests: 'deny_all' })
  await meeting.call.join({ name: 'Ann', host: true, voice: 440 })
  const id = await stage.send(meeting)
  const { stages, timeline } = await timelineOf(id)
  expect(stages).toEqual(DENIED)
  expect(timeline.RecordingPermissionDenied?.message).toContain('The host did not allow the recording')
  expect([meeting.recording.requests, meeting.recording.changes]).toEqual([[], []])
  expect((await stage.detail(id)).delivered).toMatchObject({ audio_seconds: 0, video_seconds: 0, segments: 0 })
})

test('asks when a host joins, records once allowed, and captures nothing after the permission is withdrawn', LONG, async () => {
  const meeting = stage.zoom.meeting()
  const ann = await meeting.call.join({ name: 'Ann', voice: 440, colour: '#2040c0' })
  const id = await stage.send(meeting)
  await stage.has(id, 'InMeeting')
  ann.setHost(true)
  await until('the host is asked', () => meeting.recording.requests.length > 0, SOON)
  meeting.recording.allow()
  await until('enough is on the disk', () => stage.lastMsOf(id) > ENOUGH_MS, SOON)
  const started = stage.recordingOf(id).facts.find((it) => it.fact === 'started')
  meeting.recording.withdraw()
  const { stages, timeline } = await timelineOf(id)
  expect(stages).toEqual(['Joining', 'InWaitingRoom', 'InMeeting', 'RecordingPermissionAllowed', 'Recording', 'Leaving', 'Stopped'])
  expect(timeline.Stopped?.message).toContain('The host withdrew the permission to record')
  expect(meeting.recording.changes.map(({ status }) => status)).toEqual([1, 0])
  const delivery = await fetchDelivery(stage.service, id)
  onTestFinished(() => delivery.discard())
  const lastMs = Math.max(...delivery.streams.map(({ endMs }) => endMs))
  expect(lastMs).toBeGreaterThan(ENOUGH_MS)
  const leftMs = Date.parse(timeline.Leaving?.timestamp ?? '') - Date.parse(started?.wallClock ?? '')
  expect(lastMs).toBeLessThan(leftMs + FRAME_MS)
})

test.each([
  ['is locked', { knock: 4006 }, 'Error', 'MeetingRestricted', /^Error: Zoom rejected the join with SDK code 4006: The meeting is locked/],
  ['asks for a captcha', { web: { wall: 'captcha' } }, 'Error', 'CaptchaRequired', /^Error: .*captcha/],
  ['asks to sign in', { web: { wall: 'sign_in' } }, 'Error', 'SignInRequired', /^Error: .*zak_url or obf_url/],
] as const)('ends as Error with a reason when the meeting %s', LONG, async (_, differences, status, reason, message) => {
  const id = await stage.send(stage.zoom.meeting(differences))
  const { stages, timeline } = await timelineOf(id)
  expect(stages).toEqual(['Joining', status])
  expect(timeline[status]?.message).toMatch(message)
  expect(await stage.detail(id)).toMatchObject({ Status: 'Done', ErrorReason: reason })
})
