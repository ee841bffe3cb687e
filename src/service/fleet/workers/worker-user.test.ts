// Root gives other users access to the files that workers need, also through closed folders, and names a path that stays closed.
import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { findWorkerUsers, launcherFor } from './worker-user.ts'

const run = promisify(execFile)
const isRoot = process.getuid?.() === 0

/** A folder with closed/code/main.ts, closed/data/recordings and closed/secret.key. Only root may enter `closed` and `data`. */
async function bench() {
  const folder = await mkdtemp(join(tmpdir(), 'emissary-worker-user-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await chmod(folder, 0o755)
  const [closed, stage] = [join(folder, 'closed'), join(folder, 'stage')]
  const [code, data] = [join(closed, "it's code"), join(closed, 'data')]
  const recordings = join(data, 'recordings')
  for (const path of [stage, closed, code, data, recordings]) await mkdir(path)
  await writeFile(join(code, 'main.ts'), 'code')
  await writeFile(join(closed, 'secret.key'), 'secret', { mode: 0o644 })
  for (const path of [closed, data]) await chmod(path, 0o700)
  return { closed, code, recordings, stage }
}

test('makes closed folders passable to the files that a worker needs, and to nothing else', async () => {
  if (!isRoot) return
  const { closed, code, recordings, stage } = await bench()
  const needs = { folders: [code, recordings], files: [join(code, 'main.ts')] }
  const users = await findWorkerUsers(needs, stage)
  const { command, args, identity } = launcherFor(users, users.range.first + 1)('/bin/sh', [
    ...['-c', 'id -u; cat "$1"; echo; ls "$2"; cat "$2/secret.key"; ls "$2/data"; exit 0', 'sh'],
    ...[join(code, 'main.ts'), closed],
  ])
  const { stdout } = await run(command, args, { ...identity, cwd: '/' })
  expect(stdout.trim().split('\n')).toEqual([String(users.range.first + 1), 'code', 'data', "it's code", 'recordings'])
})

test('names the path that other users cannot read', async () => {
  if (!isRoot) return
  const { code, recordings, stage } = await bench()
  await chmod(join(code, 'main.ts'), 0o600)
  const needs = { folders: [code, recordings], files: [join(code, 'main.ts')] }
  await expect(findWorkerUsers(needs, stage)).rejects.toThrow(`${join(code, 'main.ts')} is closed to other users`)
  await chmod(code, 0o700)
  await expect(findWorkerUsers(needs, stage)).rejects.toThrow(`${code} is closed to other users`)
})
