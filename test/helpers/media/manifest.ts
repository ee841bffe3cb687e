// The manifests in a recording's folder, read as the service reads them.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { joinManifests, type Manifest, manifestsAmong } from '../../../src/domain/recording.ts'

export function readManifest(folder: string): Manifest {
  return joinManifests(manifestsIn(folder).map(({ name }) => readFileSync(path.join(folder, name), 'utf8')))
}

/** The number of the next session that records into this folder. */
export function nextSession(folder: string): number {
  return 1 + Math.max(0, ...manifestsIn(folder).map(({ session }) => session))
}

function manifestsIn(folder: string) {
  return existsSync(folder) ? manifestsAmong(readdirSync(folder)) : []
}
