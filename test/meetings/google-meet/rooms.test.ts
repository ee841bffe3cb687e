// A bot of a whole service that is moved through breakout rooms of Google Meet: it goes along, in one recording whose timeline names the rooms.
import { expect, test } from 'vitest'
import type { Scenario } from '../../../sims/google-meet/meet.ts'
import { wav } from '../../helpers/callers/files-server.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { MeetStage } from '../../helpers/meetings/google-meet.ts'
import { scaled } from '../../helpers/scale.ts'
import { until } from '../../helpers/until.ts'

const LONG = 180_000
const SOON = 20_000
const [ANN_HZ, BEN_HZ, CY_HZ] = [500, 900, 1_300]

const stage = openForFile(() => MeetStage.open(), LONG)

type Chunk = { readonly speakerName: string | null; readonly room: string | null; readonly start: number; readonly end: number }
type Timeline = { readonly chunks: readonly Chunk[]; readonly rooms: readonly { readonly name: string }[] }

const WAYS: readonly (readonly [room: string, way: Partial<Scenario>])[] = [
  ['Red', { roomMove: 'asked', media: 'neteq' }],
  // The page nowhere shows the name where the bot reads it.
  ['Breakout room', { roomMove: 'moved', roomTitle: false }],
]

test.each(WAYS.slice(0, scaled({ all: 2, gate: 1 })))(
  'follows into the room “%s” and back, and attributes speech there: %o',
  {
    timeout: LONG,
  },
  async (named, way) => {
    const meeting = stage.meeting({ knock: 'admitted', ...way })
    const red = meeting.room('Red')
    const [ann, ben] = [await meeting.space.join({ name: 'Ann' }), await red.join({ name: 'Ben' })]
    const cy = await red.join({ name: 'Cy' })
    const id = await stage.send(meeting)
    await stage.has(id, 'Recording')
    const isIn = (room: string) =>
      until(`it is in the room “${room}”`, () => meeting.inside()[0]?.room === room && meeting.state() !== null, SOON)
    const present = async () =>
      (await stage.read(id, 'get_participants'))
        .filter((it: { humanized_status: string }) => it.humanized_status === 'in_meeting')
        .map((it: { displayName: string }) => it.displayName)
        .toSorted()
        .join()
    await until('Ann is known', async () => (await present()) === 'Ann', SOON)
    await ann.say(wav(ANN_HZ, 2))
    meeting.move('Red')
    await isIn('Red')
    await until('only the people of the room are there', async () => (await present()) === 'Ben,Cy', SOON)
    await ben.say(wav(BEN_HZ, 2))
    await cy.say(wav(CY_HZ, 2))
    meeting.move(null)
    await isIn('')
    await until('only Ann is there', async () => (await present()) === 'Ann', SOON)
    await ann.say(wav(ANN_HZ, 2))
    await stage.remove(id)
    await stage.has(id, 'Done', LONG)
    const { chunks, rooms } = (await stage.read(id, 'get_speaker_timeline')) as Timeline
    expect(rooms.map(({ name }) => name)).toEqual([named])
    const spoken = chunks.filter(({ start, end }) => end - start > 1).map(({ speakerName, room }) => `${speakerName} in ${room}`)
    expect(spoken).toEqual(['Ann in null', `Ben in ${named}`, `Cy in ${named}`, 'Ann in null'])
  },
)
