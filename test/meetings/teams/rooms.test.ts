// A bot of a whole service that is moved through breakout rooms of Teams: it goes along, in one recording whose timeline names the rooms.
import { expect, test } from 'vitest'
import type { Scenario } from '../../../sims/teams/teams.ts'
import { wav } from '../../helpers/callers/files-server.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { TeamsStage } from '../../helpers/meetings/teams.ts'
import { until } from '../../helpers/until.ts'

const LONG = 180_000
const SOON = 20_000
const [ANN_HZ, BEN_HZ, CY_HZ] = [500, 900, 1_300]

const stage = openForFile(() => TeamsStage.open(), LONG)

type Chunk = { readonly speakerName: string | null; readonly room: string | null; readonly start: number; readonly end: number }
type Timeline = { readonly chunks: readonly Chunk[]; readonly rooms: readonly { readonly name: string }[] }

const WAYS: readonly Partial<Scenario>[] = [
  { roomMove: 'countdown', callBehind: 'held' },
  { roomMove: 'button', callBehind: 'ended', globals: 'none' },
  { roomMove: 'countdown', callBehind: 'ended', mayReturn: false },
]

test.each(WAYS)('follows into a breakout room and back (%j), and attributes speech there', { timeout: LONG }, async (way) => {
  const meeting = stage.meeting({ knock: 'admitted', ...way })
  const red = meeting.room('Red')
  const [ann, ben] = [await meeting.call.join({ name: 'Ann' }), await red.join({ name: 'Ben' })]
  const cy = await red.join({ name: 'Cy' })
  const id = await stage.send(meeting)
  await stage.has(id, 'Recording')
  const isIn = (room: string) =>
    until(`its media are in the room “${room}”`, () => meeting.inside()[0]?.room === room && meeting.state() !== null, SOON)
  const names = async () =>
    (await stage.read(id, 'get_participants'))
      .map((it: { displayName: string }) => it.displayName)
      .toSorted()
      .join()
  await until('Ann is known', async () => (await names()) === 'Ann', SOON)
  await ann.say(wav(ANN_HZ, 2))
  meeting.move('Red')
  await isIn('Red')
  await until('the others are known', async () => (await names()) === 'Ann,Ben,Cy', SOON)
  await ben.say(wav(BEN_HZ, 2))
  await cy.say(wav(CY_HZ, 2))
  meeting.move(null)
  await isIn('')
  await ann.say(wav(ANN_HZ, 2))
  const { facts } = stage.recordingOf(id)
  expect(
    facts.filter(({ fact }) => fact === 'gap'),
    'it is one recording without a gap',
  ).toEqual([])
  await stage.remove(id)
  await stage.has(id, 'Done', LONG)
  const { chunks, rooms } = (await stage.read(id, 'get_speaker_timeline')) as Timeline
  expect(rooms.map(({ name }) => name)).toEqual(['Red'])
  const spoken = chunks.filter(({ start, end }) => end - start > 1).map(({ speakerName, room }) => `${speakerName} in ${room}`)
  expect(spoken).toEqual(['Ann in null', 'Ben in Red', 'Cy in Red', 'Ann in null'])
})
