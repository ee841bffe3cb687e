// Recognition on this server while somebody speaks: parts, wholes, order, silences, and a process that dies.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { NativeSpeech } from '../../../src/speech/native/native.ts'
import type { LiveHeard, LiveStream } from '../../../src/speech/provider.ts'
import { spokenWords, wordErrors } from '../../helpers/speech-errors.ts'
import { openEar, SCRIPTS, send, startNative, textOf } from '../../helpers/speech-native.ts'
import { joined, RATE, sentence, silence, speech } from '../../helpers/speech-sound.ts'
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

function pairs(all: readonly LiveHeard[]): (readonly [LiveHeard, LiveHeard])[] {
  return all.slice(1).map((after, at) => [all[at] as LiveHeard, after])
}

/** Writes the sound as fast as it was spoken: interim results come only while a sentence lasts. */
async function speak(stream: LiveStream, samples: Int16Array, at: number): Promise<void> {
  const piece = RATE / 10
  for (let from = 0; from < samples.length; from += piece) {
    send(stream, samples.slice(from, from + piece), at + from / RATE)
    await delay(100)
  }
}

test('interim results of a sentence grow while it is spoken, and its final result has all words', LONG, async () => {
  const spoken = await sentence(folder, 'Could you please share your screen so that everyone can see the numbers?', 'slt')
  const { stream, heard, finals } = openEar(native)
  const interims = () => heard.filter(({ final }) => !final)
  const finalsSince = (start: number) => finals().filter((it) => it.start >= start && it.start < start + 10)
  // A busy machine may have no interim result ready before the sentence is over: it is spoken again then.
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
  for (const [before, after] of pairs(heard)) if (!after.final && !before.final) expect(after.text).not.toBe(before.text)
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

test('two voices at once are each heard in order, at the moments they spoke', LONG, async () => {
  const people = await Promise.all(
    (['slt', 'rms'] as const).map(async (voice) => {
      const own = await mkdtemp(path.join(folder, 'voice-'))
      return { ...(await speech(own, SCRIPTS[voice], voice, [0.8])), ear: openEar(native) }
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

test('a voice that stops sending has said what it said, and a jump in time is a silence', LONG, async () => {
  const [first, second] = [await sentence(folder, 'Good morning everybody.', 'slt'), await sentence(folder, 'See you on Monday.', 'slt')]
  const { stream, finals } = openEar(native)
  send(stream, first, 10)
  await until('the first sentence is final', () => finals().length === 1, 60_000)
  send(stream, second, 50)
  send(stream, first, 90)
  await until('two more are', () => finals().length === 3, 60_000)
  expect(finals().map(({ start }) => Math.round(start / 10) * 10)).toEqual([10, 50, 90])
  await stream.end()
})

test('a voice whose process is killed hears of it once, and the next one is heard again', LONG, async () => {
  const spoken = await sentence(folder, 'Good morning everybody.', 'slt')
  const lost = openEar(native)
  send(lost.stream, spoken, 0)
  const pid = await until('a process listens', () => native.pids.live[0])
  process.kill(pid, 'SIGKILL')
  await until('the failure is told', () => lost.failures.length > 0)
  send(lost.stream, spoken, 5)
  await lost.stream.end()
  expect(lost.failures.map(({ message, passing }) => ({ message, passing }))).toEqual([
    { message: 'native_streaming: the process that listens ended with SIGKILL', passing: true },
  ])
  const next = openEar(native)
  send(next.stream, joined([spoken, silence(1)]), 0)
  await next.stream.end()
  expect(textOf(next.finals())).toMatch(/morning/)
})

test('a voice without models is told so, and does not break whoever writes on', async () => {
  const empty = new NativeSpeech({ modelsFolder: path.join(folder, 'none') })
  const ear = openEar(empty)
  send(ear.stream, silence(1), 0)
  await until('the failure is told', () => ear.failures.length > 0)
  send(ear.stream, silence(1), 1)
  await ear.stream.end()
  expect(ear.failures[0]?.message).toContain('emissary models install')
  await empty.stop()
})
