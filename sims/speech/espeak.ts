// Speech as a WAV file, by the system's own voices.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** `voice` is one of espeak-ng's, for example `en-gb` or `en-us+f3`. */
export async function spoken(text: string, voice: string): Promise<Buffer> {
  const directory = await mkdtemp(join(tmpdir(), 'emissary-speech-'))
  const file = join(directory, 'words.wav')
  try {
    await run('espeak-ng', ['-v', voice, '-s', '150', '-w', file, '--', text]).catch(() => run('flite', ['-t', text, '-o', file]))
    return await readFile(file)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
