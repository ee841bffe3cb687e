// A conversation of synthesised voices: people speak in turn, one at a time, for a little more than a minute.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { joined, keep, RATE, sentence, silence } from '../../test/helpers/speech/speech-audio.ts'
import { SENTENCES } from '../speech/audio.ts'

const VOICES = ['slt', 'rms', 'awb', 'kal'] as const
const PAUSE_SECONDS = 0.6

/** For each person a WAV file in base64. All are equally long. */
export async function conversation(): Promise<readonly string[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'emissary-bench-talk-'))
  try {
    const parts: Int16Array[][] = VOICES.map(() => [])
    for (const [turn, text] of SENTENCES.entries()) {
      const speaker = turn % VOICES.length
      const said = joined([await sentence(folder, text, VOICES[speaker] ?? 'slt'), silence(PAUSE_SECONDS)])
      for (const [person, part] of parts.entries()) part.push(person === speaker ? said : silence(said.length / RATE))
    }
    const files = await Promise.all(parts.map((part, person) => keep(path.join(folder, `${person}.wav`), joined(part))))
    return files.map((file) => readFileSync(file, 'base64'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
