// The last line of a run, in the form that any CI can read.
import type { Reporter, TestModule } from 'vitest/node'

export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const count = { passed: 0, failed: 0, skipped: 0, pending: 0 }
    for (const module of modules) for (const test of module.children.allTests()) count[test.result().state] += 1
    const broken = modules.filter((module) => module.state() === 'failed' && module.errors().length > 0).length
    // The default reporter writes its summary after this event.
    process.on('exit', () => console.log(`${count.passed} passed, ${count.failed + broken} failed, ${count.skipped} skipped`))
  }
}
