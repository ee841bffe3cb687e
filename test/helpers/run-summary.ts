// The summary at the end of a run: where the time went, and a last line that any CI can parse.
import type { Reporter, TestModule } from 'vitest/node'
import { writeFailures } from '../failures.ts'
import { writeDurations } from '../longest-first.ts'
import { partsWithin, writeProven } from '../parts.ts'
import { RUNS_ALL } from './scale.ts'

const SLOWEST = 12

export default class RunSummary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (RUNS_ALL) {
      writeDurations(modules)
      // A suite that fails says nothing about the other parts.
      writeProven(partsWithin(modules.filter((module) => module.state() === 'passed').map(({ relativeModuleId }) => relativeModuleId)))
    }
    writeFailures(modules)
    // The default reporter writes its summary after this event.
    process.on('exit', () => console.log([...durations(modules), ...failures(modules), counts(modules)].join('\n')))
  }
}

/** Each project's total, and its slowest files. */
function durations(modules: readonly TestModule[]): readonly string[] {
  const byProject = Map.groupBy(modules, (module) => module.project.name)
  return [...byProject].flatMap(([project, files]) => {
    const timed = files.map((file) => ({ path: file.relativeModuleId, seconds: file.diagnostic().duration / 1000 }))
    const total = timed.reduce((sum, { seconds }) => sum + seconds, 0)
    const slowest = timed.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST)
    const rows = slowest.map(({ path, seconds }) => `${seconds.toFixed(1).padStart(8)} s  ${path}`)
    return [`${project}: ${files.length} files, ${total.toFixed(0)} s over all workers`, ...rows]
  })
}

/** Their names only, because a log is often cut at its beginning, and the errors are above. */
function failures(modules: readonly TestModule[]): readonly string[] {
  return modules
    .filter((module) => module.state() === 'failed')
    .flatMap((module) => {
      const failed = [...module.children.allTests()].filter((test) => test.result().state === 'failed')
      const names = failed.length > 0 ? failed.map(({ fullName }) => ` > ${fullName}`) : ['']
      return names.map((name) => `failed: ${module.relativeModuleId}${name}`)
    })
}

function counts(modules: readonly TestModule[]): string {
  const count = { passed: 0, failed: 0, skipped: 0, pending: 0 }
  for (const module of modules) for (const test of module.children.allTests()) count[test.result().state] += 1
  const broken = modules.filter((module) => module.state() === 'failed' && module.errors().length > 0).length
  return `${count.passed} passed, ${count.failed + broken} failed, ${count.skipped} skipped`
}
