// A bot in a Teams call: its participants, its actions, its endings, and a killed worker.
import { expect, test } from 'vitest'
import { png, serveFiles, wav } from '../../helpers/callers/files-server.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { picturesIn, removeAndFetch } from '../../helpers/media/delivered.ts'
import { sound } from '../../helpers/media/recorded-media.ts'
import { isNear, rgbOf } from '../../helpers/meetings/bot-in-room.ts'
import { TeamsStage } from '../../helpers/meetings/teams.ts'
import { workerProcesses } from '../../helpers/service/worker-processes.ts'
import { until } from '../../helpers/until.ts'

const LONG = 180_000
const SOON = 20_000
const ORANGE = '#e07020'
const CLIP_HZ = 1500
/** The tone is measured over the latest audio only: silence before it would make it seem lower, and noise higher. */
const LATEST_MS = 500
const ANN_HZ = 440
/** Audio that must be on the disk before the kill, and after it. */
const ENOUGH_MS = 4_000

const files = openForFile(() => serveFiles({ 'orange.png': png(ORANGE), 'clip.wav': wav(CLIP_HZ, 3) }), LONG)
const stage = openForFile(() => TeamsStage.open(), LONG)

type Row = { readonly displayName: string; readonly left_at: string | null; readonly speaking_seconds: number }
const named = async (id: string, name: string): Promise<Row | undefined> =>
  (await stage.read(id, 'get_participants')).find(({ displayName }: Row) => displayName === name)

test('reports people, writes, shows, plays, takes a screenshot, pauses, and names who removed it', { timeout: LONG }, async () => {
  const meeting = stage.meeting({ knock: 'admitted', popup: true })
  const ann = await meeting.call.join({ name: 'Ann', role: 'organizer', voice: ANN_HZ, colour: '#2040c0' })
  const ben = await meeting.call.join({ name: 'Ben', muted: true })
  const id = await stage.send(meeting, { bot_message: 'Hello, I take notes.', initial_audio: { url: files.url('clip.wav') } })
  await stage.has(id, 'Recording')
  const wrote = () => meeting.call.chat().map(({ content }) => content)
  await Promise.all([
    until('the bot greets', () => wrote().includes('<p>Hello, I take notes.</p>'), 30_000),
    until(
      'the clip is heard',
      async () => Math.abs(((await meeting.call.receivedAudio().tone(Date.now() - LATEST_MS))?.hz ?? 0) - CLIP_HZ) < 40,
      30_000,
    ),
  ])
  await until('its microphone is off again', () => meeting.state()?.microphone === false, SOON)
  expect(await stage.command(id, 'send_image', { img_url: files.url('orange.png') })).toMatchObject({ status: 200 })
  await until('the picture is seen', async () => isNear((await meeting.call.receivedVideo().look())?.rgb ?? [], rgbOf(ORANGE)), SOON)
  expect(await stage.command(id, 'send_message', { message: 'The numbers are in.' })).toMatchObject({ status: 200 })
  expect(wrote()).toContain('<p>The numbers are in.</p>')
  expect(await stage.command(id, 'take_screenshot')).toMatchObject({ status: 200 })
  expect(await stage.command(id, 'pause_recording')).toMatchObject({ status: 200 })
  expect(await stage.command(id, 'resume_recording')).toMatchObject({ status: 200 })

  ann.write('<p>Are we recorded?</p>')
  await until('the bot reads Ann', async () => (await stage.read(id, 'get_chats')).metadata.totalMessages === 3, SOON)
  expect((await stage.read(id, 'get_chats')).chatMessages).toMatchObject([
    { text: 'Hello, I take notes.', is_bot: true },
    { text: 'The numbers are in.', is_bot: true },
    { text: 'Are we recorded?', speakerName: 'Ann', is_bot: false },
  ])
  ben.leave()
  await until('Ben is gone', async () => (await named(id, 'Ben'))?.left_at, SOON)

  meeting.remove(ann)
  const bot = await stage.has(id, 'Kicked')
  expect(bot.ErrorReason).toBe('RemovedByParticipant')
  expect(bot.StatusTimeline.Kicked.message).toBe('Ann removed the bot from the meeting')
  expect((await named(id, 'Ann'))?.speaking_seconds, 'Ann hums all the time').toBeGreaterThan(1)
  expect((await named(id, 'Ben'))?.speaking_seconds).toBe(0)
  await stage.has(id, 'Done', LONG)
  const { participants } = await stage.read(id, 'get_audio_streams')
  expect(participants.map((it: { participant_name: string }) => it.participant_name)).toContain('Ann')
})

test('loses only moments and keeps the attribution when the worker is killed', { timeout: LONG }, async () => {
  const meeting = stage.meeting({ knock: 'admitted' })
  await meeting.call.join({ name: 'Ann', voice: ANN_HZ, colour: '#e02020' })
  await meeting.call.join({ name: 'Ben', colour: '#2020e0' })
  const id = await stage.send(meeting)
  await until('enough is on the disk', () => stage.lastMsOf(id) > ENOUGH_MS, 60_000)
  for (const pid of workerProcesses()) process.kill(pid, 'SIGKILL')
  const gap = await stage.recordsAgain(id, ENOUGH_MS)
  const delivery = await removeAndFetch(stage, id, LONG)
  const loud = (name: string, hz: number) =>
    delivery.of(name, 'audio').flatMap(({ file, startMs }) => {
      const found = sound(file)
      const looks = Array.from({ length: Math.floor(found.lengthMs / 100) }, (_, at) => at * 100)
      return looks.filter((at) => found.at(hz, found.startMs + at, found.startMs + at + 100) > 0.1).map((at) => startMs + at)
    })
  const found = loud('Ann', ANN_HZ)
  expect(found.at(0), 'Ann before').toBeLessThan(ENOUGH_MS)
  expect(found.at(-1), 'Ann after').toBeGreaterThan(gap.fact === 'gap' ? gap.toMs : 0)
  for (const [name, colour] of [
    ['Ann', '#e02020'],
    ['Ben', '#2020e0'],
  ] as const) {
    const pictures = picturesIn(delivery.of(name, 'camera'))
    expect(pictures.length, `${name} was seen`).toBeGreaterThan(20)
    expect(
      pictures.filter(({ rgb }) => !isNear(rgb, rgbOf(colour), 90)),
      `somebody else in ${name}’s pictures`,
    ).toEqual([])
  }
})
