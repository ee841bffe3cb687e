// What a page sees of a bot: levels by the clock, from the sound or from the platform's word, and the last lines.
import { expect, test } from 'vitest'
import { createGlance } from './glance.ts'

const person = (id: string) => ({ id, name: id.toUpperCase(), isHost: false, microphoneOn: true, cameraOn: false })
const sound = (amplitude: number) => Int16Array.from({ length: 960 }, (_, index) => Math.round(amplitude * Math.sin(index / 10)))

function bench() {
  let now = 1_000_000
  const glance = createGlance(() => now)
  glance.see({ kind: 'people', others: [person('ada'), person('ben')], at: now })
  const levels = () => glance.look(true).levels.map(({ level }) => Math.round(level * 10) / 10)
  return {
    ...{ glance, levels },
    pass(ms: number) {
      now += ms
    },
  }
}

test('levels follow the sound of each participant and fall back to silence', () => {
  const { glance, levels, pass } = bench()
  glance.hear('ada', sound(32_000))
  glance.hear('ben', sound(320))
  expect(levels()).toEqual([0.9, 0.3])
  glance.hear('ada', sound(10))
  expect(levels()[0]).toBe(0.9)
  pass(700)
  expect(levels()).toEqual([0, 0])
})

test('unattributed sound belongs to those whom the platform says to speak, and without sound its word counts', () => {
  const { glance, levels } = bench()
  glance.see({ kind: 'voice', speakers: ['ben'], at: 0 })
  expect(levels()).toEqual([0, 0.5])
  glance.hear(null, sound(32_000))
  expect(levels()).toEqual([0, 0.9])
})

test('nobody watches a moment after the last look, and nothing is shown that is not recorded', () => {
  const { glance, levels, pass } = bench()
  expect(glance.isWatched()).toBe(false)
  levels()
  expect(glance.isWatched()).toBe(true)
  pass(5_000)
  expect(glance.isWatched()).toBe(false)
  expect(glance.look(false).levels).toEqual([])
})

test('keeps the last thirty lines, whose ids count up', () => {
  const { glance } = bench()
  for (let count = 1; count <= 40; count += 1) glance.said({ participantId: 'ada', name: 'Ada', text: `Line ${count}` })
  const { lines } = glance.look(true)
  expect([lines.length, lines[0]?.id, lines.at(-1)?.text]).toEqual([30, 11, 'Line 40'])
})
