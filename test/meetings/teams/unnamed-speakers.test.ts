// A Teams call whose packets have no CSRC: captions name the speakers, and earlier audio stays unattributed.
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { fetchDelivery } from '../../helpers/delivered.ts'
import { wav } from '../../helpers/files-server.ts'
import { sound } from '../../helpers/recorded-media.ts'
import { TeamsStage } from '../../helpers/teams.ts'
import { until } from '../../helpers/until.ts'

const LONG = 180_000
const [ANN_HZ, BEN_HZ] = [500, 900]
const LOOK_MS = 100
/** The tones have amplitude 0.5. */
const LOUD = 0.25

let stage: TeamsStage
beforeAll(async () => {
  stage = await TeamsStage.open()
}, LONG)
afterAll(() => stage?.close())

type Chunk = { readonly speakerName: string | null; readonly start: number; readonly end: number }

test('names speakers by captions, also behind a room microphone, and no one before the first caption', { timeout: LONG }, async () => {
  const call = { contributors: 'none', dominantSpeakers: 'none', redundantAudio: true } as const
  const meeting = stage.meeting({ knock: 'admitted', outline: 'none', globals: 'msteamscalling', call })
  const [ann, ben] = [await meeting.call.join({ name: 'Ann' }), await meeting.call.join({ name: 'Ben', colour: '#2040c0' })]
  const id = await stage.send(meeting)
  await stage.has(id, 'Recording')
  expect(meeting.state()?.captions ?? null).toBeNull()
  const isOn = () => (meeting.state()?.captions ?? null) !== null
  const deadline = AbortSignal.timeout(60_000)
  while (!isOn() && !deadline.aborted) await ann.say(wav(ANN_HZ, 1), 'Nobody writes this down')
  expect(isOn(), 'captions are on').toBe(true)
  await ann.say(wav(ANN_HZ, 2), 'This is Ann')
  await ben.say(wav(BEN_HZ, 2), 'And this is Ben')
  await Promise.all([ann.say(wav(ANN_HZ, 1), 'Both'), ben.say(wav(BEN_HZ, 1), 'Both')])
  ben.caption({ text: 'I sit beside Ben', speakerId: '5f0c@local' })
  const names = async () => (await stage.read(id, 'get_participants')).map((it: { displayName: string }) => it.displayName).toSorted()
  await until('the third is known', async () => (await names()).join() === 'Ann,Ben,Speaker 1', 20_000)
  await stage.remove(id)
  await stage.has(id, 'Done', LONG)

  const { chunks } = (await stage.read(id, 'get_speaker_timeline')) as { chunks: readonly Chunk[] }
  const spokenBy = (name: string) =>
    chunks.filter(({ speakerName }) => speakerName === name).reduce((sum, { start, end }) => sum + end - start, 0)
  expect(Math.abs(spokenBy('Ann') - 3), `Ann spoke for ${spokenBy('Ann')} s`).toBeLessThan(1.6)
  expect(Math.abs(spokenBy('Ben') - 3)).toBeLessThan(0.6)
  const delivery = await fetchDelivery(stage.service, id)
  onTestFinished(() => delivery.discard())
  const secondsOf = (hz: number, name: string) =>
    delivery.of(name, 'audio').reduce((sum, { file }) => {
      const found = sound(file)
      const looks = Array.from({ length: Math.floor(found.lengthMs / LOOK_MS) }, (_, at) => found.startMs + at * LOOK_MS)
      return sum + looks.filter((at) => found.at(hz, at, at + LOOK_MS) > LOUD).length * (LOOK_MS / 1000)
    }, 0)
  expect(secondsOf(ANN_HZ, 'Ann')).toBeGreaterThan(1)
  expect(secondsOf(BEN_HZ, 'Ben')).toBeGreaterThan(1)
  expect([secondsOf(BEN_HZ, 'Ann'), secondsOf(ANN_HZ, 'Ben')]).toEqual([0, 0])
  expect(secondsOf(ANN_HZ, ''), 'what came before the captions, and what both said').toBeGreaterThan(4)
})
