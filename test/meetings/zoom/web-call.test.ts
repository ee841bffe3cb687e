// A bot in a Zoom call by the web client (ZOOM_WAY=web): it records, reads and writes chat, and shows a picture.
import { expect, test } from 'vitest'
import { png, serveFiles } from '../../helpers/callers/files-server.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { type Delivery, isAudible, picturesIn, removeAndFetch } from '../../helpers/media/delivered.ts'
import { isNear, rgbOf } from '../../helpers/meetings/bot-in-room.ts'
import { ZoomStage } from '../../helpers/meetings/zoom.ts'
import { until } from '../../helpers/until.ts'

const LONG = 180_000
const SOON = 60_000
const ORANGE = '#e07020'
const [BLUE, RED] = ['#2040c0', '#c02040']
const [ANN_HZ, BEN_HZ] = [440, 900]
const ENOUGH_MS = 4_000

const SETTINGS = { ZOOM_WAY: 'web', ZOOM_SDK_KEY: '', ZOOM_SDK_SECRET: '' }

const files = openForFile(() => serveFiles({ 'orange.png': png(ORANGE) }), LONG)
const stage = openForFile(() => ZoomStage.open(SETTINGS), LONG)

/** Makes the bot leave, and returns its delivered files. */
async function deliveryOf(id: string): Promise<Delivery> {
  await until('enough is on the disk', () => stage.lastMsOf(id) > ENOUGH_MS, SOON)
  return removeAndFetch(stage, id, LONG)
}

function expectColour(delivery: Delivery, name: string, colour: string): void {
  const pictures = picturesIn(delivery.of(name, 'camera'))
  expect(pictures.length, `pictures of ${name}`).toBeGreaterThan(10)
  expect(pictures.filter(({ rgb }) => !isNear(rgb, rgbOf(colour), 90))).toEqual([])
}

test('records each participant as their own, reads and writes chat, and shows a picture', { timeout: LONG }, async () => {
  const meeting = stage.zoom.meeting({
    media: 'separate',
    joinAudio: 'button',
    web: { recordingConsent: true, popup: true, unmutesItself: true },
  })
  const ann = await meeting.call.join({ name: 'Ann', host: true, voice: ANN_HZ, colour: BLUE })
  await meeting.call.join({ name: 'Ben', voice: BEN_HZ, colour: RED })
  const id = await stage.send(meeting, { bot_message: 'Hello, I take notes.' })
  await stage.has(id, 'Recording', SOON)
  const lines = () => meeting.call.chat().map(({ text }) => text)
  await until('the bot greets', () => lines().includes('Hello, I take notes.'), SOON)
  ann.write('Are we recorded?')
  await until('the bot reads Ann', async () => (await stage.read(id, 'get_chats')).metadata.totalMessages === 2, SOON)
  expect(await stage.command(id, 'send_message', { message: 'Yes, you are.' })).toMatchObject({ status: 200 })
  expect(lines()).toContain('Yes, you are.')
  expect(await stage.command(id, 'send_image', { img_url: files.url('orange.png') })).toMatchObject({ status: 200 })
  await until('the picture is seen', async () => isNear((await meeting.call.receivedVideo().look())?.rgb ?? [], rgbOf(ORANGE)), SOON)
  await until('the microphone is off', () => meeting.state()?.muted === true, SOON)
  expect(await stage.command(id, 'pause_recording')).toMatchObject({ status: 200 })
  expect(await stage.command(id, 'resume_recording')).toMatchObject({ status: 200 })
  const delivery = await deliveryOf(id)
  expect(meeting.inside()).toEqual([])
  expect([isAudible(delivery, 'Ann', ANN_HZ), isAudible(delivery, 'Ben', BEN_HZ)]).toEqual([true, true])
  expect([isAudible(delivery, 'Ann', BEN_HZ), isAudible(delivery, 'Ben', ANN_HZ)]).toEqual([false, false])
  expectColour(delivery, 'Ann', BLUE)
  expectColour(delivery, 'Ben', RED)
  // The web client asks the host for no permission.
  const { StatusTimeline } = await stage.detail(id)
  expect(Object.keys(StatusTimeline).filter((stageName) => stageName.startsWith('RecordingPermission'))).toEqual([])
  expect(meeting.recording.requests).toEqual([])
})
