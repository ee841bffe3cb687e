import { expect, test } from 'vitest'
import { createGlance } from './glance.ts'

const person = (id: string) => ({ id, name: id.toUpperCase(), isHost: false, microphoneOn: true, cameraOn: false })
const sound = (amplitude: number) => Int16Array.from({ length: 960 }, (_, index) => Math.round(amplitude * Math.sin(index / 10)))

function openGlance() {
  let now = 1_000_000
  const glance = createGlance(() => now)
  glance.onEvent({ kind: 'people', others: [person('ada'), person('ben')], at: now })
  const levels = () => glance.snapshot(true).levels.map(({ level }) => Math.round(level * 10) / 10)
  return {
    glance,
    levels,
    pass(ms: number) {
      now += ms
    },
  }
}

test('follows the audio level of each participant, and returns to zero in silence', () => {
  const { glance, levels, pass } = openGlance()
  glance.onAudio('ada', sound(32_000))
  glance.onAudio('ben', sound(320))
  expect(levels()).toEqual([0.9, 0.3])
  glance.onAudio('ada', sound(10))
  expect(levels()[0]).toBe(0.9)
  pass(700)
  expect(levels()).toEqual([0, 0])
})

test('attributes unattributed audio to the reported speakers, and shows speakers without audio at half level', () => {
  const { glance, levels } = openGlance()
  glance.onEvent({ kind: 'voice', speakers: ['ben'], at: 0 })
  expect(levels()).toEqual([0, 0.5])
  glance.onAudio(null, sound(32_000))
  expect(levels()).toEqual([0, 0.9])
})

test('counts as watched for a moment after a snapshot, and shows no levels unless recording', () => {
  const { glance, levels, pass } = openGlance()
  expect(glance.isWatched()).toBe(false)
  levels()
  expect(glance.isWatched()).toBe(true)
  pass(5_000)
  expect(glance.isWatched()).toBe(false)
  expect(glance.snapshot(false).levels).toEqual([])
})

test('keeps the last thirty lines with increasing ids', () => {
  const { glance } = openGlance()
  for (let count = 1; count <= 40; count += 1) glance.addLine({ participantId: 'ada', name: 'Ada', text: `Line ${count}` })
  const { lines } = glance.snapshot(true)
  expect([lines.length, lines[0]?.id, lines.at(-1)?.text]).toEqual([30, 11, 'Line 40'])
})
