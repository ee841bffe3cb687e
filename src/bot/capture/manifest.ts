// The manifest file of a recording: facts are appended in order; a bot that comes back goes on where the last one was cut off.
import { readFile } from 'node:fs/promises'
import { type ManifestFact, manifestLine, parseManifest } from '../../domain/recording.ts'
import { GrowingFile, type MemoryBudget } from './growing-file.ts'

export type ManifestLog = {
  /** What an earlier life of this bot left. */
  readonly before: readonly ManifestFact[]
  append(fact: ManifestFact): void
  sync(): Promise<void>
  close(): Promise<void>
}

export async function openManifest(file: string, budget: MemoryBudget): Promise<ManifestLog> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return Buffer.alloc(0)
    throw error
  })
  const growing = new GrowingFile(file, budget, bytes.length)
  // The torn line of a killed bot is ended, so that it spoils nothing behind it.
  if (bytes.length > 0 && bytes.at(-1) !== 10) growing.append(Buffer.from('\n'))
  return {
    before: parseManifest(bytes.toString('utf8')).facts,
    append(fact) {
      // Refused only when the disk has been dead for so long that media fills the memory; what it would say is then not true either.
      growing.append(Buffer.from(manifestLine(fact)))
    },
    sync: () => growing.sync(),
    close: () => growing.close(),
  }
}
