// Appends facts to the manifest of a session. A bot that rejoins reads the manifests of its earlier sessions.
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { joinManifests, type ManifestFact, manifestLine, manifestName, manifestsAmong } from '../../../domain/recording.ts'
import { GrowingFile, type MemoryBudget } from './growing-file.ts'

export type ManifestLog = {
  /** The facts of earlier sessions of this bot. */
  readonly before: readonly ManifestFact[]
  append(fact: ManifestFact): void
  sync(): Promise<void>
  close(): Promise<void>
}

export async function openManifest(folder: string, session: number, budget: MemoryBudget): Promise<ManifestLog> {
  const earlier = manifestsAmong(await readdir(folder)).filter((file) => file.session < session)
  const texts = await Promise.all(earlier.map(({ name }) => readFile(path.join(folder, name), 'utf8')))
  const growing = new GrowingFile(path.join(folder, manifestName(session)), budget)
  return {
    before: joinManifests(texts).facts,
    append(fact) {
      // Fails only if the disk has failed for so long that media fills the memory. The fact's media is then lost too.
      growing.append(Buffer.from(manifestLine(fact)))
    },
    sync: () => growing.sync(),
    close: () => growing.close(),
  }
}
