// A Teams call whose packets have no CSRC: the dominant speaker names the speakers. Where it is missing or stuck, captions do, and earlier audio
// stays unattributed.
import { expect, onTestFinished, test } from 'vitest'
import { wav } from '../../helpers/callers/files-server.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { fetchDelivery } from '../../helpers/media/delivered.ts'
import { sound } from '../../helpers/media/recorded-media.ts'
import { TeamsStage } from '../../helpers/meetings/teams.ts'
import { until } from '../../helpers/until.ts'

const LONG = 180_000
const [ANN_HZ, BEN_HZ] = [500, 900]
const LOOK_MS = 100
/** The tones have amplitude 0.5. */
const LOUD = 0.25

const stage = openForFile(() => TeamsStage.open(), LONG)

type Chunk = { readonly speakerName: string | null; readonly start: number; readonly end: number }

/** The seconds of a tone in the audio of a participant; an empty name: what is attributed to no one. */
async function measure(id: string) {
  const delivery = await fetchDelivery(stage.service, id)
  onTestFinished(() => delivery.discard())
  return (hz: number, name: string) =>
    delivery.of(name, 'audio').reduce((sum, { file }) => {
      const found = sound(file)
      const looks = Array.from({ length: Math.floor(found.lengthMs / LOOK_MS) }, (_, at) => found.startMs + at * LOOK_MS)
      return sum + looks.filter((at) => found.at(hz, at, at + LOOK_MS) > LOUD).length * (LOOK_MS / 1000)
    }, 0)
}

async function spokenIn(id: string) {
  const { chunks } = (await stage.read(id, 'get_speaker_timeline')) as { chunks: readonly Chunk[] }
  return (name: string) => chunks.filter(({ speakerName }) => speakerName === name).reduce((sum, { start, end }) => sum + end - start, 0)
}

test('names speakers by the dominant speaker, and turns no captions on', { timeout: LONG }, async () => {
  const meeting = stage.meeting({ knock: 'admitted', outline: 'none', call: { contributors: 'none' } })
  const [ann, ben] = [await meeting.call.join({ name: 'Ann' }), await meeting.call.join({ name: 'Ben', colour: '#2040c0' })]
  const id = await stage.send(meeting)
  await stage.has(id, 'Recording')
  for (let turn = 0; turn < 3; turn++) {
    await ann.say(wav(ANN_HZ, 2), 'This is Ann')
    await ben.say(wav(BEN_HZ, 2), 'And this is Ben')
  }
  expect(meeting.state()?.captions ?? null, 'nobody sees that a bot needs them').toBeNull()
  await stage.remove(id)
  await stage.has(id, 'Done', LONG)
  const spokenBy = await spokenIn(id)
  for (const name of ['Ann', 'Ben']) expect(Math.abs(spokenBy(name) - 6), `${name} spoke for ${spokenBy(name)} s`).toBeLessThan(2.5)
  const secondsOf = await measure(id)
  expect(secondsOf(ANN_HZ, 'Ann')).toBeGreaterThan(3)
  expect(secondsOf(BEN_HZ, 'Ben')).toBeGreaterThan(3)
  expect(Math.max(secondsOf(BEN_HZ, 'Ann'), secondsOf(ANN_HZ, 'Ben'))).toBeLessThan(0.5)
})

test('turns captions on where the dominant speaker is stuck', { timeout: LONG }, async () => {
  const meeting = stage.meeting({ knock: 'admitted', outline: 'none', call: { contributors: 'none', dominantSpeakers: 'stuck' } })
  const [ann, ben] = [await meeting.call.join({ name: 'Ann' }), await meeting.call.join({ name: 'Ben' })]
  const id = await stage.send(meeting)
  await stage.has(id, 'Recording')
  const areOn = () => (meeting.state()?.captions ?? null) !== null
  const deadline = AbortSignal.timeout(90_000)
  while (!areOn() && !deadline.aborted) {
    await ann.say(wav(ANN_HZ, 2))
    await ben.say(wav(BEN_HZ, 2))
  }
  expect(areOn(), 'captions are on').toBe(true)
  await ben.say(wav(BEN_HZ, 3), 'This is Ben')
  await stage.remove(id)
  await stage.has(id, 'Done', LONG)
  const spokenBy = await spokenIn(id)
  expect(spokenBy('Ann'), 'the stuck one is not believed').toBe(0)
  expect(Math.abs(spokenBy('Ben') - 3)).toBeLessThan(0.6)
})

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

  const spokenBy = await spokenIn(id)
  expect(Math.abs(spokenBy('Ann') - 3), `Ann spoke for ${spokenBy('Ann')} s`).toBeLessThan(1.6)
  expect(Math.abs(spokenBy('Ben') - 3)).toBeLessThan(0.6)
  const secondsOf = await measure(id)
  expect(secondsOf(ANN_HZ, 'Ann')).toBeGreaterThan(1)
  expect(secondsOf(BEN_HZ, 'Ben')).toBeGreaterThan(1)
  expect([secondsOf(BEN_HZ, 'Ann'), secondsOf(ANN_HZ, 'Ben')]).toEqual([0, 0])
  expect(secondsOf(ANN_HZ, ''), 'what came before the captions, and what both said').toBeGreaterThan(4)
})
