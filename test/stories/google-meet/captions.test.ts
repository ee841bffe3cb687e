// Google Meet's own captions as a live transcript and as the stored one.
import { expect, test } from 'vitest'
import { startLiveReceiver } from '../../helpers/callers/live-receiver.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { MeetStage } from '../../helpers/meetings/google-meet.ts'
import { until } from '../../helpers/until.ts'

const LONG = 120_000

const stage = openForFile(() => MeetStage.open())

test('delivers captions live, none while paused, and stores them', { timeout: LONG }, async () => {
  const live: Record<string, unknown>[] = []
  const socket = await startLiveReceiver((body) => {
    if (body.type === undefined) live.push(body)
  })
  const meeting = stage.meeting({ knock: 'admitted' })
  const [ann, ben] = [await meeting.space.join({ name: 'Ann Lee', displayName: 'Ann' }), await meeting.space.join({ name: 'Ben' })]
  const id = await stage.send(meeting, {
    video_required: false,
    recording_config: { transcript: { provider: { meeting_captions: { language: 'de-DE' } } } },
    live_transcription_required: { websocket_url: socket.url },
  })
  await stage.has(id, 'Recording')
  await until('they are on', () => meeting.state()?.captions === 'de-DE', 20_000)
  // The page shows the call a moment before the meeting sends its state.
  await until('the bot knows who is there', async () => (await stage.read(id, 'get_participants')).length === 2, 20_000)

  ann.caption({ text: 'Good', captionId: 1, version: 1 })
  ann.caption({ text: 'Good morning.', captionId: 1, version: 2, final: true })
  ben.caption({ text: 'Morning, Ann.', captionId: 2, version: 1, final: true })
  await until('three captions arrived', () => live.length === 3, 20_000)
  expect(live).toMatchObject([
    { speakerName: 'Ann', speakerId: ann.deviceId, transcript: 'Good', is_final: false },
    { speakerName: 'Ann', transcript: 'Good morning.', new_text: 'morning.', is_final: true },
    { speakerName: 'Ben', speakerId: ben.deviceId, transcript: 'Morning, Ann.', is_final: true },
  ])

  expect(await stage.command(id, 'pause_recording')).toMatchObject({ status: 200 })
  ann.caption({ text: 'This is between us.', captionId: 3, version: 1, final: true })
  // Chat follows the captions: once the line arrives, the bot has read the caption.
  ann.write('Paused?')
  await until('the bot reads Ann', async () => (await stage.read(id, 'get_chats')).metadata.totalMessages === 1, 20_000)
  expect(live).toHaveLength(3)

  expect((await stage.remove(id)).status).toBe(200)
  const { transcript_id, delivered } = await stage.has(id, 'Done', LONG)
  expect(delivered.words).toBe(4)
  const { transcriptions } = await stage.read(id, 'transcriptions')
  expect(transcriptions).toMatchObject([{ transcript_id, provider: 'meeting_captions', status: 'Success' }])
  const read = await stage.service.api('GET', `/api/v1/transcript/${transcriptions[0].transcript_id}/get_transcript`)
  expect(read.body.map(({ speaker, text }: Record<string, string>) => ({ speaker, text }))).toEqual([
    { speaker: 'Ann', text: 'Good morning.' },
    { speaker: 'Ben', text: 'Morning, Ann.' },
  ])
  await socket.close()
})

test('reports bot.error for a caption language that the meeting lacks, and stays', { timeout: LONG }, async () => {
  const meeting = stage.meeting({ knock: 'admitted' })
  const id = await stage.send(meeting, {
    video_required: false,
    recording_config: { transcript: { provider: { meeting_captions: { language: 'cy-GB' } } } },
  })
  await stage.has(id, 'Recording')
  const error = await until(
    'the error is reported',
    () => stage.hook.received.map(({ body }) => body).find(({ bot_id, event }) => bot_id === id && event === 'bot.error'),
    30_000,
  )
  expect(error).toMatchObject({ bot_status: 'InMeeting', message: expect.stringContaining('no captions in cy-GB') })
  expect((await stage.detail(id)).Status).toBe('InMeeting')
  expect((await stage.remove(id)).status).toBe(200)
  await stage.has(id, 'Stopped')
})
