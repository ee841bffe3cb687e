// Runs the suites: `npm test`. A browser story that fails runs once more, alone: a busy machine must not cost a day. It is named as flaky then.
import { spawnSync } from 'node:child_process'
import { type FailedFile, forgetFailures, readFailures } from '../test/failures.ts'

/** More failures than this are no accident. */
const MOST_FLAKY = 2
const BROWSER_STORY = /^test\/(stories|meetings)\//

/** The files to run again, or none if a repetition cannot make the run good. */
export function filesToRepeat(failures: readonly FailedFile[]): readonly string[] {
  const stories = failures.filter(({ path }) => BROWSER_STORY.test(path))
  return stories.length === failures.length && failures.length <= MOST_FLAKY ? failures.map(({ path }) => path) : []
}

function passes(args: readonly string[]): boolean {
  forgetFailures()
  return spawnSync('vitest', ['run', ...args], { stdio: 'inherit' }).status === 0
}

function runSuites(args: readonly string[]): boolean {
  if (passes(args)) return true
  const failures = readFailures() ?? []
  const files = filesToRepeat(failures)
  if (files.length === 0) return false
  console.log(`\nOnce more, alone: ${files.join(', ')}`)
  if (!files.every((file) => passes([file]))) return false
  for (const { path, log } of failures) console.log(['', `flaky: ${path}`, ...log].join('\n'))
  return true
}

if (process.argv[1] === import.meta.filename) process.exitCode = runSuites(process.argv.slice(2)) ? 0 : 1
