// The cost of local speech recognition: CPU time, memory and errors of forty minutes, and the delay of live results.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Utterance } from '../../src/domain/transcript.ts'
import { NativeSpeech } from '../../src/speech/native/native.ts'
import { RATE } from '../../test/helpers/speech/speech-audio.ts'
import { spokenWords, wordErrors } from '../../test/helpers/speech/speech-errors.ts'
import { loadNow, statOf } from '../harness/machine.ts'
import { CannotRun } from '../harness/programs.ts'
import { atLeast, atMost, type Report } from '../harness/report.ts'
import { spreadOf } from '../harness/statistics.ts'
import { fourMinutes, repeated, type Talk, talkOf } from './audio.ts'

const TIMES = 10
const LIVE_VOICES = [1, 3] as const
const LOOK_EVERY_MS = 500
const PACKET = RATE / 50
const NEVER = new AbortController().signal

export async function speech(): Promise<Report> {
  const before = loadNow()
  const folder = mkdtempSync(path.join(tmpdir(), 'speech-'))
  const native = new NativeSpeech({ modelsFolder: process.env.MODELS_DIR ?? path.join(homedir(), '.cache/emissary/models') })
  try {
    const file = await measureFile(native, folder)
    const live = []
    for (const voices of LIVE_VOICES) live.push(await measureLive(native, folder, voices))
    const rows = live.map(({ voices, cores, late }) => [
      `${voices} at once`,
      { finals: late.length, 'p50 s': spreadOf(late).p50, 'p95 s': spreadOf(late).p95, cores },
    ])
    return {
      figures: {
        'a recording': { [`${Math.round(file.minutes)} min`]: file },
        'live voices, final words after the last one': Object.fromEntries(rows),
        machine: { before, after: loadNow() },
      },
      budgets: budgetsOf(file, live),
    }
  } finally {
    await native.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

type FileFigures = Awaited<ReturnType<typeof measureFile>>
type LiveFigures = Awaited<ReturnType<typeof measureLive>>

async function measureFile(native: NativeSpeech, folder: string) {
  const talk = await fourMinutes(folder)
  const file = await repeated(folder, talk, TIMES)
  console.error(`listening to ${Math.round((talk.seconds * TIMES) / 60)} minutes`)
  const memory: number[] = []
  const timer = setInterval(() => {
    const [pid] = native.pids.files
    if (pid !== undefined) memory.push(megabytesOf(pid))
  }, LOOK_EVERY_MS)
  const { utterances } = await native.transcribe({ file, seconds: talk.seconds * TIMES }, {}, NEVER).catch((cause: unknown) => {
    throw new CannotRun(String(cause))
  })
  clearInterval(timer)
  const cpuSeconds = cpuOf(native.pids.files)
  const [first, last] = [placesOff(talk, utterances, 0), placesOff(talk, utterances, TIMES - 1)]
  const third = Math.floor(memory.length / 3)
  return {
    minutes: (talk.seconds * TIMES) / 60,
    'x realtime per core': (talk.seconds * TIMES) / cpuSeconds,
    'words wrong %': wrongShare(talk, utterances) * 100,
    'peak MB': Math.max(...memory),
    'memory, last third over second': Math.max(...memory.slice(2 * third)) / Math.max(...memory.slice(third, 2 * third)),
    'start off, first 4 min, ms': first * 1000,
    'start off, last 4 min, ms': last * 1000,
  }
}

function wrongShare({ placed, seconds }: Talk, utterances: readonly Utterance[]): number {
  const said = spokenWords(placed.map(({ text }) => text).join(' '))
  const errors = Array.from({ length: TIMES }, (_, time) => {
    const recognised = utterances.filter(({ start }) => Math.floor(start / seconds) === time)
    return wordErrors(said, spokenWords(recognised.map(({ text }) => text).join(' ')))
  })
  return errors.reduce((sum, error) => sum + error, 0) / (said.length * TIMES)
}

/** The distance of a sentence's start from its true time, as the median of one round. */
function placesOff({ placed, seconds }: Talk, utterances: readonly Utterance[], round: number): number {
  const off = placed.map(({ start }) => Math.min(...utterances.map((recognised) => Math.abs(recognised.start - start - round * seconds))))
  return spreadOf(off).p50
}

/** In real time, each voice a little after the other. Returns the delay of final results after the true end of a sentence. */
async function measureLive(native: NativeSpeech, folder: string, voices: number) {
  const talks = await Promise.all(Array.from({ length: voices }, () => talkOf(mkdtempSync(path.join(folder, 'voice-')), 'slt')))
  console.error(`${voices} live at once, for ${Math.round(talks[0]?.seconds ?? 0)} s`)
  const late: number[] = []
  // The process is loaded before the measurement.
  const warm = native.open({ onResult: () => undefined, onFailure: () => undefined }, {})
  await warm.end()
  const before = cpuOf(native.pids.live)
  const began = performance.now()
  await Promise.all(talks.map((talk, at) => speakLive(native, talk, at * 0.7, late)))
  const seconds = (performance.now() - began) / 1000
  return { voices, late, cores: (cpuOf(native.pids.live) - before) / seconds }
}

async function speakLive(native: NativeSpeech, { samples, placed }: Talk, afterSeconds: number, late: number[]): Promise<void> {
  await delay(afterSeconds * 1000)
  const began = performance.now()
  const elapsed = (): number => (performance.now() - began) / 1000
  const recognised = ({ final, end }: { readonly final: boolean; readonly end: number }): void => {
    if (!final) return
    const truth = placed.find((sentence) => Math.abs(sentence.end - end) < 1)
    late.push(elapsed() - (truth?.end ?? end))
  }
  const failed = (error: Error): never => {
    throw error
  }
  const stream = native.open({ onResult: recognised, onFailure: failed }, {})
  for (let from = 0; from < samples.length; from += PACKET) {
    const dueMs = (from + PACKET) / RATE - elapsed()
    if (dueMs > 0) await delay(dueMs * 1000)
    stream.write(samples.slice(from, from + PACKET), from / RATE)
  }
  await stream.end()
}

/** CPU seconds of these processes and their descendants. */
function cpuOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + (statOf(pid)?.seconds ?? 0) + (statOf(pid)?.childSeconds ?? 0), 0)
}

/** Zero if it has exited. */
function megabytesOf(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

function budgetsOf(file: FileFigures, live: readonly LiveFigures[]): Report['budgets'] {
  const [alone] = live
  return [
    atLeast('a recording, x realtime per core', file['x realtime per core'], 9, 'x'),
    atMost('words that are wrong, missing or too many', file['words wrong %'], 8, ' %'),
    atMost('memory', file['peak MB'], 700, ' MB'),
    atMost('memory, last third over second third', file['memory, last third over second'], 1.1),
    atMost('drift over the whole', Math.abs(file['start off, last 4 min, ms'] - file['start off, first 4 min, ms']), 30, ' ms'),
    atMost('one live voice, final words, p50', spreadOf(alone?.late ?? []).p50, 1.5, ' s'),
    atMost('one live voice', alone?.cores ?? Number.POSITIVE_INFINITY, 0.6, ' cores'),
  ]
}
