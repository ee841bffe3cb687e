// The check of commit subjects, as a function, as a hook and without git history.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { subjectProblem } from './commit-subjects.ts'

const folder = mkdtempSync(join(tmpdir(), 'subjects-'))
afterAll(() => rmSync(folder, { recursive: true }))

test.each([
  'capture: hold lane packets until their CSRC mapping arrives',
  'web-client: pass the name to the form',
  'api: embed the schema',
  'kit: bring back the retry',
  'db: feed the outbox',
  `kit: add ${'x'.repeat(63)}`,
])('accepts the subject "%s"', (subject) => {
  expect(subjectProblem(subject)).toBeNull()
})

test.each([
  ['fix the retry', 'write it as "area: imperative summary"'],
  ['Kit: fix the retry', 'with the area in small letters'],
  ['kit, db: fix the retry', 'write it as "area: imperative summary"'],
  [`kit: add ${'x'.repeat(64)}`, 'shorten it by 1 characters to 72'],
  ['kit: fix the retry.', 'leave out the full stop'],
  ['kit: fixes the retry', 'instead of "fixes"'],
  ['kit: fixed the retry', 'instead of "fixed"'],
  ['kit: fixing the retry', 'instead of "fixing"'],
  ['kit: the retry', 'instead of "the"'],
  ['kit: wip', 'instead of "wip"'],
])('rejects the subject "%s"', (subject, problem) => {
  expect(subjectProblem(subject)).toContain(problem)
})

const script = join(import.meta.dirname, 'commit-subjects.ts')
const run = (...args: string[]) => execFileSync(process.execPath, [script, ...args], { cwd: folder, encoding: 'utf8', stdio: 'pipe' })

test('passes with a note where there is no git history', () => {
  expect(run()).toMatch(/^commits: not checked, the history since \w{7} is absent here\n$/)
})

test('fails the commit-msg hook for a bad subject only', () => {
  const message = join(folder, 'COMMIT_EDITMSG')
  writeFileSync(message, 'kit: add a retry\n\nIt was missing.\n')
  expect(run(message)).toBe('')
  writeFileSync(message, 'Added a retry\n')
  expect(() => run(message)).toThrow('commit subject "Added a retry": write it as')
  writeFileSync(message, 'Revert "kit: add a retry"\n')
  expect(run(message)).toBe('')
})
