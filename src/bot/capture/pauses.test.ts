// Speech that reaches into a pause of the recording.
import { afterEach, expect, test } from 'vitest'
import { clearFolders, play, playing } from '../../../test/helpers/media/recording-fixture.ts'
import { Pauses } from './pauses.ts'

afterEach(clearFolders)

test('cuts pauses out of a span', () => {
  const pauses = new Pauses(null)
  pauses.begin(1_000)
  pauses.end(2_000)
  pauses.begin(4_000)
  const outside = (fromMs: number, toMs: number) => pauses.outside({ fromMs, toMs }).map((it) => [it.fromMs, it.toMs])
  expect(outside(0, 1_000)).toEqual([[0, 1_000]])
  expect(outside(500, 4_500)).toEqual([
    [500, 1_000],
    [2_000, 4_000],
  ])
  expect(outside(1_200, 1_800)).toEqual([])
  expect(outside(4_100, 5_000), 'it is paused').toEqual([])
})

test('is paused from the beginning in a session that continues a pause', () => {
  const pauses = new Pauses(0)
  expect([pauses.isPaused, pauses.outside({ fromMs: 0, toMs: 500 })]).toEqual([true, []])
  pauses.end(300)
  expect(pauses.outside({ fromMs: 0, toMs: 500 })).toEqual([{ fromMs: 300, toMs: 500 }])
})

test('records reported speech without the paused part, also where the report comes in the pause or after it', async () => {
  const bed = await playing()
  play(bed, 0, 2_000)
  bed.recording.pause()
  play(bed, 2_000, 5_000)
  bed.recording.addSpeech('ann', { fromMs: 1_000, toMs: 2_500 })
  bed.recording.resume()
  play(bed, 5_000, 7_000)
  bed.recording.addSpeech('ben', { fromMs: 4_000, toMs: 6_000 })
  await bed.recording.end('left')
  const speech = bed.facts().filter((it) => it.fact === 'speech')
  expect(speech.map(({ participantId, fromMs, toMs }) => [participantId, fromMs, toMs])).toEqual([
    ['ann', 1_000, 2_000],
    ['ben', 5_000, 6_000],
  ])
})
