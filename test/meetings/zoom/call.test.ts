// A bot in a Zoom call: permission to record, chat, image, recorded media, and a killed host process.
import { expect, onTestFinished, test } from 'vitest'
import { png, serveFiles, wav } from '../../helpers/callers/files-server.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { fetchDelivery, isAudible, picturesIn, removeAndFetch } from '../../helpers/media/delivered.ts'
import { isNear, rgbOf } from '../../helpers/meetings/bot-in-room.ts'
import { ZoomStage } from '../../helpers/meetings/zoom.ts'
import { workerProcesses } from '../../helpers/service/worker-processes.ts'
import { until } from '../../helpers/until.ts'

const LONG = 180_000
const SOON = 30_000
const ORANGE = '#e07020'
const CLIP_HZ = 1500
const [ANN_HZ, BEN_HZ] = [440, 900]
/** The media that must be on the disk. */
const ENOUGH_MS = 4_000

const files = openForFile(() => serveFiles({ 'orange.png': png(ORANGE), 'clip.wav': wav(CLIP_HZ, 3) }), LONG)
const stage = openForFile(() => ZoomStage.open(), LONG)

test('records after the host allows it, writes, shows an image, and leaves when the permission is withdrawn', {
  timeout: LONG,
}, async () => {
  const meeting = stage.zoom.meeting()
  const ann = await meeting.call.join({ name: 'Ann', host: true, voice: ANN_HZ, colour: '#2040c0' })
  await meeting.call.join({ name: 'Ben', voice: BEN_HZ, colour: '#c02040' })
  const id = await stage.send(meeting, { bot_message: 'Hello, I take notes.' })
  await until('the host is asked', () => meeting.recording.requests.length > 0, SOON)
  expect((await stage.detail(id)).StatusTimeline).not.toHaveProperty('Recording')
  meeting.recording.allow()
  await stage.has(id, 'RecordingPermissionAllowed')
  await stage.has(id, 'Recording')
  const wrote = () => meeting.call.chat().map(({ text }) => text)
  await until('the bot greets', () => wrote().includes('Hello, I take notes.'), SOON)
  expect(await stage.command(id, 'send_image', { img_url: files.url('orange.png') })).toMatchObject({ status: 200 })
  await until('the picture is seen', async () => isNear((await meeting.call.receivedVideo().look())?.rgb ?? [], rgbOf(ORANGE)), SOON)
  expect(await stage.command(id, 'take_screenshot')).toMatchObject({ status: 400, body: { code: 'unsupported_command' } })
  expect(await stage.command(id, 'pause_recording')).toMatchObject({ status: 200 })
  expect(await stage.command(id, 'resume_recording')).toMatchObject({ status: 200 })
  ann.write('Are we recorded?')
  await until('the bot reads Ann', async () => (await stage.read(id, 'get_chats')).metadata.totalMessages === 2, SOON)
  await until('enough is on the disk', () => stage.lastMsOf(id) > ENOUGH_MS, SOON)
  meeting.recording.withdraw()
  const bot = await stage.has(id, 'Stopped')
  expect(bot.StatusTimeline.Stopped.message).toContain('The host withdrew the permission to record')
  await stage.has(id, 'Done', LONG)
  const delivery = await fetchDelivery(stage.service, id)
  onTestFinished(() => delivery.discard())
  expect([isAudible(delivery, 'Ann', ANN_HZ), isAudible(delivery, 'Ben', BEN_HZ)]).toEqual([true, true])
  expect([isAudible(delivery, 'Ann', BEN_HZ), isAudible(delivery, 'Ben', ANN_HZ)]).toEqual([false, false])
  for (const [name, colour] of [
    ['Ann', '#2040c0'],
    ['Ben', '#c02040'],
  ] as const) {
    const pictures = picturesIn(delivery.of(name, 'camera'))
    expect(pictures.length, `${name} was seen`).toBeGreaterThan(10)
    expect(pictures.filter(({ rgb }) => !isNear(rgb, rgbOf(colour), 90))).toEqual([])
  }
})

test('leaves without a recording when the host denies the request', { timeout: LONG }, async () => {
  const meeting = stage.zoom.meeting()
  await meeting.call.join({ name: 'Ann', host: true, voice: ANN_HZ })
  const id = await stage.send(meeting)
  await until('the host is asked', () => meeting.recording.requests.length > 0, SOON)
  meeting.recording.deny()
  const bot = await stage.has(id, 'Stopped')
  expect(Object.keys(bot.StatusTimeline)).toEqual(expect.arrayContaining(['RecordingPermissionDenied', 'Leaving', 'Stopped']))
  expect(bot.StatusTimeline).not.toHaveProperty('Recording')
})

test('rejoins and continues the same recording after its host process was killed', { timeout: LONG }, async () => {
  const meeting = stage.zoom.meeting({ recording: 'allowed' })
  await meeting.call.join({ name: 'Ann', host: true, voice: ANN_HZ, colour: '#e02020' })
  const id = await stage.send(meeting)
  await until('enough is on the disk', () => stage.lastMsOf(id) > ENOUGH_MS, 60_000)
  for (const pid of workerProcesses()) process.kill(pid, 'SIGKILL')
  await stage.recordsAgain(id, ENOUGH_MS)
  const delivery = await removeAndFetch(stage, id, LONG)
  expect(isAudible(delivery, 'Ann', ANN_HZ)).toBe(true)
})
