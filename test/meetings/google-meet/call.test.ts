// A bot in a Google Meet call: its participants, its actions, and the endings.
import { describe, expect, test } from 'vitest'
import type { Meeting, Scenario } from '../../../sims/google-meet/meet.ts'
import { png, serveFiles, wav } from '../../helpers/callers/files-server.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { isNear, rgbOf } from '../../helpers/meetings/bot-in-room.ts'
import { MeetStage } from '../../helpers/meetings/google-meet.ts'
import { until } from '../../helpers/until.ts'

const LONG = 120_000
const ORANGE = '#e07020'
const CLIP_HZ = 1500
/** The tone is measured over the latest audio only: silence before it would make it seem lower, and noise higher. */
const LATEST_MS = 500

const files = openForFile(() => serveFiles({ 'orange.png': png(ORANGE), 'clip.wav': wav(CLIP_HZ, 3) }))
const stage = openForFile(() => MeetStage.open())

async function inside(meeting: Meeting, body: object = {}): Promise<string> {
  const id = await stage.send(meeting, body)
  await stage.has(id, 'Recording')
  return id
}

type Row = {
  readonly displayName: string
  readonly humanized_status: string
  readonly left_at: string | null
  readonly speaking_seconds: number
  readonly streamIds: readonly string[]
}
const people = async (id: string): Promise<readonly Row[]> => stage.read(id, 'get_participants')
const named = async (id: string, name: string) => (await people(id)).find(({ displayName }) => displayName === name)

describe.concurrent('a call', () => {
  const PATHS = [{ media: 'native' }, { media: 'neteq', encodedStreams: 'asked_for', collectionsBy: 'page' }] as const
  test.each(PATHS)('reports people, writes, shows, plays, and reports its removal: $media', { timeout: LONG }, async (path) => {
    const meeting = stage.meeting({ knock: 'admitted', consents: ['recorded'], composer: 'contenteditable', ...path })
    const ann = await meeting.space.join({ name: 'Ann Lee', displayName: 'Ann', host: true, voice: 440, colour: '#2040c0' })
    const ben = await meeting.space.join({ name: 'Ben', muted: true })
    const id = await inside(meeting, { bot_message: 'Hello, I take notes.', initial_audio: { url: files.url('clip.wav') } })

    // At once, because a clip may end before the greeting is posted.
    await Promise.all([
      until('the bot greets', () => meeting.space.chat().some(({ text }) => text === 'Hello, I take notes.'), 30_000),
      until(
        'the clip is heard',
        async () => near((await meeting.space.receivedAudio().tone(Date.now() - LATEST_MS))?.hz ?? 0, CLIP_HZ),
        30_000,
      ),
    ])
    await until('its microphone is off again', () => meeting.state()?.microphone === false, 20_000)
    expect(await stage.command(id, 'send_image', { img_url: files.url('orange.png') })).toMatchObject({ status: 200 })
    await until('the picture is seen', async () => isNear((await meeting.space.receivedVideo().look())?.rgb ?? [], rgbOf(ORANGE)), 20_000)
    expect(await stage.command(id, 'send_message', { message: 'The numbers are in.' })).toMatchObject({ status: 200 })
    expect(meeting.space.chat().map(({ text }) => text)).toContain('The numbers are in.')

    ann.write('Are we recorded?')
    await until('the bot reads Ann', async () => (await stage.read(id, 'get_chats')).metadata.totalMessages === 3, 20_000)
    expect((await stage.read(id, 'get_chats')).chatMessages).toMatchObject([
      { text: 'Hello, I take notes.', is_bot: true },
      { text: 'The numbers are in.', is_bot: true },
      { text: 'Are we recorded?', speakerName: 'Ann', is_bot: false },
    ])
    ben.leave()
    await until('Ben is gone', async () => (await named(id, 'Ben'))?.left_at, 20_000)
    expect(await named(id, 'Ann')).toMatchObject({ humanized_status: 'in_meeting', left_at: null })

    meeting.remove()
    const bot = await stage.has(id, 'Kicked')
    expect(bot.ErrorReason).toBe('RemovedByParticipant')
    expect((await people(id)).map(({ displayName }) => displayName).toSorted()).toEqual(['Ann', 'Ben'])
    expect((await named(id, 'Ann'))?.speaking_seconds, 'Ann hums all the time').toBeGreaterThan(1)
    expect((await named(id, 'Ben'))?.speaking_seconds).toBe(0)
    await stage.has(id, 'Done', LONG)
    const { participants } = await stage.read(id, 'get_audio_streams')
    expect(participants.map((it: { participant_name: string }) => it.participant_name)).toEqual(['Ann'])
    expect((await named(id, 'Ann'))?.streamIds).toContain(participants[0].streams[0].stream_id)
    expect((await named(id, 'Ben'))?.streamIds).toEqual([])
  })

  const ENDINGS: readonly (readonly [string, Scenario['endings'], (meeting: Meeting) => void])[] = [
    ['the host ends the meeting', 'alert', (it) => it.endForAll()],
    ['everyone has left', 'alert', (it) => it.everyoneLeft()],
    ['a dialog says no more than that the call ended', 'alertdialog', (it) => it.show('call_over')],
  ]
  test.each(ENDINGS)('ends as Stopped with a message when %s', { timeout: LONG }, async (_what, endings, end) => {
    const meeting = stage.meeting({ knock: 'admitted', endings })
    const id = await inside(meeting)
    end(meeting)
    expect((await stage.has(id, 'Stopped')).StatusTimeline.Stopped.message).toBe('The meeting ended')
  })

  test('does not mistake texts of people for texts of the page', { timeout: LONG }, async () => {
    const meeting = stage.meeting({ knock: 'admitted' })
    const name = 'You’ve been removed from the meeting'
    const troll = await meeting.space.join({ name })
    const id = await inside(meeting, { bot_message: 'Hello' })
    // The page shows the call a moment before the meeting sends its state.
    await until('the bot knows who is there', async () => named(id, name), 20_000)
    // The page learns of the participants before its connection is answered, and receives no chat until then.
    await until('the bot is connected', () => meeting.space.visitors().length === 1, 20_000)
    for (const text of ["You've been removed from the meeting", 'The call ended', 'You lost your network connection']) troll.write(text)
    await until('the bot has read it all', async () => (await stage.read(id, 'get_chats')).metadata.totalMessages === 4, 20_000)
    meeting.endForAll()
    expect((await stage.has(id, 'Stopped')).StatusTimeline.Stopped.message).toBe('The meeting ended')
    expect((await stage.detail(id)).StatusTimeline).not.toHaveProperty('Kicked')
  })

  test('stays in the meeting through a lost network', { timeout: LONG }, async () => {
    const meeting = stage.meeting({ knock: 'admitted', network: 'lost' })
    await meeting.space.join({ name: 'Ann', voice: 440 })
    const id = await inside(meeting)
    await until('Ann is known', async () => named(id, 'Ann'), 20_000)
    meeting.dropNetwork()
    await until('it cannot write', async () => (await stage.command(id, 'send_message', { message: 'Lost.' })).status === 503, 40_000)
    expect((await stage.detail(id)).Status).toBe('InMeeting')
    meeting.restoreNetwork()
    await until('it writes again', async () => (await stage.command(id, 'send_message', { message: 'Back.' })).status === 200, 40_000)
    expect(meeting.space.chat().map(({ text }) => text)).toContain('Back.')
    await stage.remove(id)
    await stage.has(id, 'Stopped')
  })
})

function near(hertz: number, wanted: number): boolean {
  return Math.abs(hertz - wanted) < 40
}
