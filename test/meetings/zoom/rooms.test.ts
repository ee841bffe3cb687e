// A bot that is moved through breakout rooms of Zoom, by both clients: it goes along, in one recording whose timeline names the rooms.
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Differences } from '../../../sims/zoom/zoom.ts'
import { wav } from '../../helpers/callers/files-server.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { ZoomBench, ZoomStage } from '../../helpers/meetings/zoom.ts'
import { type JoinedCall, joinCall } from '../../helpers/meetings/zoom-call.ts'
import { ZoomWebBench } from '../../helpers/meetings/zoom-web.ts'
import { until } from '../../helpers/until.ts'

const LONG = 180_000
const SOON = 30_000
const [ANN_HZ, BEN_HZ] = [500, 900]

type Chunk = { readonly speakerName: string | null; readonly room: string | null; readonly start: number; readonly end: number }
type Timeline = { readonly chunks: readonly Chunk[]; readonly rooms: readonly { readonly name: string }[] }

const WAYS = [
  ['sdk', {}, { roomMove: 'invitation', recording: 'allowed' }],
  ['web', { ZOOM_WAY: 'web', ZOOM_SDK_KEY: '', ZOOM_SDK_SECRET: '' }, { roomMove: 'automatic' }],
] as const

describe.each(WAYS)('a bot with ZOOM_WAY=%s', (_way, settings, differences) => {
  const stage = openForFile(() => ZoomStage.open(settings), LONG)

  test('follows into a breakout room and back, and attributes speech there', { timeout: LONG }, async () => {
    const meeting = stage.zoom.meeting(differences)
    const [ann, ben] = [await meeting.call.join({ name: 'Ann', host: true }), await meeting.room('Red').join({ name: 'Ben' })]
    const id = await stage.send(meeting)
    await stage.has(id, 'Recording')
    const isIn = (room: string | null, name: string) =>
      until(
        `it is in the room ${room}`,
        async () => meeting.whereabouts() === room && meeting.state()?.audio && (await names()).includes(name),
        SOON,
      )
    const names = async () => (await stage.read(id, 'get_participants')).map((it: { displayName: string }) => it.displayName)
    await isIn(null, 'Ann')
    await ann.say(wav(ANN_HZ, 3))
    meeting.move('Red')
    await isIn('Red', 'Ben')
    await ben.say(wav(BEN_HZ, 3))
    meeting.move(null)
    await isIn(null, 'Ann')
    await ann.say(wav(ANN_HZ, 3))
    await stage.remove(id)
    await stage.has(id, 'Done', LONG)
    const { chunks, rooms } = (await stage.read(id, 'get_speaker_timeline')) as Timeline
    expect(rooms.map(({ name }) => name)).toEqual(['Red'])
    const spoken = chunks.filter(({ start, end }) => end - start > 1).map(({ speakerName, room }) => `${speakerName} in ${room}`)
    expect(spoken).toEqual(['Ann in null', 'Ben in Red', 'Ann in null'])
  })
})

const BENCHES = [
  ['sdk', () => ZoomBench.open()],
  ['web', () => ZoomWebBench.open()],
] as const

describe.each(BENCHES)('the driver %s', (_way, open) => {
  const bench = openForFile<ZoomBench | ZoomWebBench>(open, LONG)

  async function joined(differences: Differences, now = Date.now): Promise<JoinedCall> {
    const meeting = bench.meeting(differences)
    const driver = await bench.driver(meeting.url, { now })
    onTestFinished(() => driver.leave('at once'))
    return joinCall(meeting, driver, LONG)
  }

  test('says that it cannot follow where the button has no effect, and stays', { timeout: LONG }, async () => {
    const { meeting, last } = await joined({ roomMove: 'dead_button' })
    meeting.move('Red')
    const problem = await until('it says so', () => last('problem'), 2 * SOON)
    expect(problem).toMatchObject({ step: 'breakout room', message: expect.stringContaining('could not') })
    expect([meeting.whereabouts(), last('ended')]).toEqual([null, undefined])
  })

  test('ends as stuck, to open the meeting again, where the way never ends', { timeout: LONG }, async () => {
    let ahead = 0
    const { meeting, last, driver } = await joined({ roomMove: 'hangs' }, () => Date.now() + ahead)
    meeting.move('Red')
    await until('it is on the way', async () => (await driver.page.text())?.includes('Joining Breakout Room'), SOON)
    const ended = () => {
      ahead += 30_000
      return until('it has ended', () => last('ended'), 1_500).catch(() => undefined)
    }
    expect(await until('it is stuck', ended, SOON)).toMatchObject({ cause: 'stuck' })
  })
})
