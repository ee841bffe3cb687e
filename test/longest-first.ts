// The order of a run: the longest files first, so that none of them runs alone at the end while other workers have nothing to do.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { BaseSequencer, type TestModule, type TestSpecification } from 'vitest/node'

const ROOT = join(import.meta.dirname, '..')
/** Seconds per file in the last `npm run test:all`. Committed, so that a fresh clone knows them. */
const DURATIONS = join(import.meta.dirname, 'durations.json')
/** The order of shorter files does not matter. */
const LONG_SECONDS = 3

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const durations = readDurations()
    const secondsOf = ({ moduleId }: TestSpecification) => durations[relative(ROOT, moduleId)] ?? 0
    return files.toSorted((a, b) => secondsOf(b) - secondsOf(a))
  }
}

/** Files that did not run this time keep their earlier seconds. */
export function writeDurations(modules: readonly TestModule[]): void {
  const seconds = modules.map((module) => [module.relativeModuleId, Math.round(module.diagnostic().duration / 1000)] as const)
  const rows = Object.entries({ ...readDurations(), ...Object.fromEntries(seconds) })
  const long = rows.filter(([path, it]) => it >= LONG_SECONDS && existsSync(join(ROOT, path))).toSorted(([a], [b]) => a.localeCompare(b))
  writeFileSync(DURATIONS, `${JSON.stringify(Object.fromEntries(long), null, 2)}\n`)
}

function readDurations(): Readonly<Record<string, number>> {
  return JSON.parse(readFileSync(DURATIONS, 'utf8'))
}
