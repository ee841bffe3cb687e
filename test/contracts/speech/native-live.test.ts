// Live native recognition: interim and final results, order, silences, and a killed process.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { NativeSpeech } from '../../../src/speech/native/native.ts'
import type { LiveResult, LiveStream } from '../../../src/speech/provider.ts'
import { joined, RATE, sentence, silence, speech } from '../../helpers/speech/speech-audio.ts'
import { spokenWords, wordErrors } from '../../helpers/speech/speech-errors.ts'
import { openStream, SCRIPTS, send, startNative, textOf } from '../../helpers/speech/speech-native.ts'
import { until } from '../../helpers/until.ts'

const LONG = { timeout: 120_000 }

let folder = ''
let native: NativeSpeech
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'emissary-native-live-'))
  native = await startNative()
})
afterAll(async () => {
  await native?.stop()
  await rm(folder, { recursive: true, force: true })
})

function pairs(all: readonly LiveResult[]): (readonly [LiveResult, LiveResult])[] {
  return all.slice(1).map((after, at) => [all[at] as LiveResult, after])
}

/** Writes the audio in real time, because interim results come only during a sentence. */
async function speak(stream: LiveStream, samples: Int16Array, at: number): Promise<void> {
  const piece = RATE / 10
  for (let from = 0; from < samples.length; from += piece) {
    send(stream, samples.slice(from, from + piece), at + from / RATE)
    await delay(100)
  }
}

test('reports growing interim results and a final result with all words', LONG, async () => {
  const spoken = await sentence(folder, 'Could you please share your screen so that everyone can see the numbers?', 'slt')
  const { stream, received, finals } = openStream(native)
  const interims = () => received.filter(({ final }) => !final)
  const finalsSince = (start: number) => finals().filter((it) => it.start >= start && it.start < start + 10)
  // A busy machine may finish the sentence before the first interim result, and then the sentence is repeated.
  const starts: number[] = []
  for (let at = 100; interims().length < 2 && starts.length < 20; at += 10) {
    starts.push(at)
    await speak(stream, joined([silence(0.5), spoken, silence(1)]), at)
    await until('the sentence is final', () => /numbers/.test(textOf(finalsSince(at))), 60_000)
  }
  await stream.end()
  expect(interims().length).toBeGreaterThan(0)
  for (const { text, words } of interims()) {
    expect(text).toMatch(/^Could you( please( share( your( screen.*)?)?)?)?$/)
    expect(text).not.toMatch(/numbers/)
    expect(words.map(({ punctuatedWord }) => punctuatedWord).join(' ')).toBe(text)
  }
  for (const [before, after] of pairs(received)) if (!after.final && !before.final) expect(after.text).not.toBe(before.text)
  for (const start of starts) {
    const sentence = finalsSince(start)
    expect(spokenWords(textOf(sentence)).slice(0, 6)).toEqual(['could', 'you', 'please', 'share', 'your', 'screen'])
    expect(Math.abs((sentence[0]?.start ?? 0) - start - 0.5)).toBeLessThan(0.3)
  }
  console.info(
    `interim results over ${starts.length} sentences: ${interims()
      .map(({ words }) => words.length)
      .join(', ')} words`,
  )
})

test('recognises two concurrent streams in order and at the right times', LONG, async () => {
  const people = await Promise.all(
    (['slt', 'rms'] as const).map(async (voice) => {
      const own = await mkdtemp(path.join(folder, 'voice-'))
      return { ...(await speech(own, SCRIPTS[voice], voice, [0.8])), ear: openStream(native) }
    }),
  )
  for (const { samples, ear } of people) send(ear.stream, samples, 7)
  await Promise.all(people.map(({ ear }) => ear.stream.end()))
  for (const { placed, ear } of people) {
    const finals = ear.finals()
    expect(ear.failures).toEqual([])
    expect(finals).toHaveLength(placed.length)
    const off = finals.map(({ start }, at) => Math.abs(start - 7 - (placed[at]?.start ?? 0)))
    expect(Math.max(...off)).toBeLessThan(0.5)
    const said = spokenWords(placed.map(({ text }) => text).join(' '))
    expect(wordErrors(said, spokenWords(textOf(finals))) / said.length).toBeLessThan(0.15)
  }
})

test('ends an utterance when audio stops or jumps in time', LONG, async () => {
  const [first, second] = [await sentence(folder, 'Good morning everybody.', 'slt'), await sentence(folder, 'See you on Monday.', 'slt')]
  const { stream, finals } = openStream(native)
  send(stream, first, 10)
  await until('the first sentence is final', () => finals().length === 1, 60_000)
  send(stream, second, 50)
  send(stream, first, 90)
  await until('two more are', () => finals().length === 3, 60_000)
  expect(finals().map(({ start }) => Math.round(start / 10) * 10)).toEqual([10, 50, 90])
  await stream.end()
})

test('reports a killed process once and serves the next stream with a new one', LONG, async () => {
  const spoken = await sentence(folder, 'Good morning everybody.', 'slt')
  const lost = openStream(native)
  send(lost.stream, spoken, 0)
  const pid = await until('a process listens', () => native.pids.live[0])
  process.kill(pid, 'SIGKILL')
  await until('the failure is reported', () => lost.failures.length > 0)
  send(lost.stream, spoken, 5)
  await lost.stream.end()
  expect(lost.failures.map(({ message, retryable }) => ({ message, retryable }))).toEqual([
    { message: 'native_streaming: the recognition process ended with SIGKILL', retryable: true },
  ])
  const next = openStream(native)
  send(next.stream, joined([spoken, silence(1)]), 0)
  await next.stream.end()
  expect(textOf(next.finals())).toMatch(/morning/)
})

test('reports missing models and ignores further audio', async () => {
  const empty = new NativeSpeech({ modelsFolder: path.join(folder, 'none') })
  const ear = openStream(empty)
  send(ear.stream, silence(1), 0)
  await until('the failure is reported', () => ear.failures.length > 0)
  send(ear.stream, silence(1), 1)
  await ear.stream.end()
  expect(ear.failures[0]?.message).toContain('emissary models install')
  await empty.stop()
})
