// The files that failed in the last run, for `scripts/suites.ts`.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TestModule } from 'vitest/node'

const FAILURES = join(import.meta.dirname, '..', 'node_modules', '.cache', 'emissary-failures.json')

export type FailedFile = { readonly path: string; readonly log: readonly string[] }

export function writeFailures(modules: readonly TestModule[]): void {
  mkdirSync(dirname(FAILURES), { recursive: true })
  writeFileSync(FAILURES, JSON.stringify(modules.filter((module) => module.state() === 'failed').map(failureOf)))
}

/** Null: the run did not come to its end. */
export function readFailures(): readonly FailedFile[] | null {
  try {
    return JSON.parse(readFileSync(FAILURES, 'utf8'))
  } catch {
    return null
  }
}

export function forgetFailures(): void {
  rmSync(FAILURES, { force: true })
}

function failureOf(module: TestModule): FailedFile {
  const failed = [...module.children.allTests()].filter((test) => test.result().state === 'failed')
  const ofTests = failed.flatMap((test) => [test.fullName, ...(test.result().errors ?? []).map(({ stack, message }) => stack ?? message)])
  return { path: module.relativeModuleId, log: [...ofTests, ...module.errors().map(({ stack, message }) => stack ?? message)] }
}
