// CPU seconds of work that a recording needs once, whatever its length: starting the mixer, and starting the recogniser with its model.
import { mkdtempSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { runProcess } from '../../src/kit/process.ts'
import type { MixProcessOrder } from '../../src/service/media/audio/mixer-process.ts'
import { NativeSpeech } from '../../src/speech/native/native.ts'
import { keep, silence } from '../../test/helpers/speech/speech-audio.ts'
import { statOf } from '../harness/machine.ts'

export type StartUps = { readonly mix: number; readonly transcribe: number }

const MIXER = fileURLToPath(new URL('../../src/service/media/audio/mixer-process.ts', import.meta.url))
const SECONDS = 0.1
const LIMIT_MS = 60_000

/** Both programs run as in the service, on a recording that is too short to matter. */
export async function measureStartUps(): Promise<StartUps> {
  const folder = mkdtempSync(path.join(tmpdir(), 'emissary-bench-start-'))
  try {
    const mix = await spentDuring(() => mixNothing(folder))
    return { mix, transcribe: await spentDuring(() => transcribeNothing(folder)) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The probe of the mixed file belongs to another step. */
async function mixNothing(folder: string): Promise<void> {
  const temporary = path.join(folder, 'mixed.m4a')
  const order: MixProcessOrder = { recording: folder, totalMs: SECONDS * 1_000, segments: [], temporary, limitMs: LIMIT_MS }
  await runProcess({
    program: process.execPath,
    args: [MIXER],
    limitMs: LIMIT_MS,
    input: Readable.from([Buffer.from(JSON.stringify(order))]),
  })
}

async function transcribeNothing(folder: string): Promise<void> {
  const file = await keep(path.join(folder, 'silence.wav'), silence(SECONDS))
  const native = new NativeSpeech({ modelsFolder: process.env.MODELS_DIR ?? path.join(homedir(), '.cache/emissary/models') })
  await native.transcribe({ file, seconds: SECONDS }, {}, new AbortController().signal).finally(() => native.stop())
}

/** Of children of this process that end during the work. */
async function spentDuring(work: () => Promise<void>): Promise<number> {
  const spent = () => statOf(process.pid)?.childSeconds ?? 0
  const before = spent()
  await work()
  return spent() - before
}
