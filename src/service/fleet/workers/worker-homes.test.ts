// A worker's home is removed with the worker, or at the next start after a kill of the service.
import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { changeOwner } from '../bot/change-owner.ts'
import { WorkerHomes } from './worker-homes.ts'

const isRoot = process.getuid?.() === 0
const OTHER_USER = 1_900_000_001

test('removes a home with its worker, and the homes that a killed service of the same DATA_DIR left', async () => {
  const homes = await WorkerHomes.open('/srv/data-of-a-test')
  onTestFinished(() => homes.close())
  const home = homes.make(isRoot ? OTHER_USER : null)
  expect(statSync(home.folder).mode & 0o777).toBe(0o700)
  expect(home.environment).toMatchObject({ HOME: home.folder, TMPDIR: home.folder })
  writeFileSync(join(home.folder, 'profile'), '')
  await homes.remove(home)
  expect(existsSync(home.folder)).toBe(false)

  const { pid: dead } = spawnSync('true')
  const left = homes.folder.replace(/\d+$/, String(dead))
  mkdirSync(join(left, 'worker-1', 'profile'), { recursive: true })
  const alive = homes.folder.replace(/\d+$/, String(process.ppid))
  mkdirSync(alive)
  onTestFinished(() => rm(alive, { recursive: true }))
  const again = await WorkerHomes.open('/srv/data-of-a-test')
  expect([existsSync(left), existsSync(alive)]).toEqual([false, true])
  expect(readdirSync(dirname(again.stage))).toEqual(['stage'])
})

test('changes the owner of a folder without following a link in it', async () => {
  if (!isRoot) return
  const folder = await mkdtemp(join(tmpdir(), 'emissary-hand-over-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const recording = join(folder, 'recording')
  mkdirSync(join(recording, 'screenshots'), { recursive: true, mode: 0o777 })
  writeFileSync(join(folder, 'secret.key'), 'secret')
  symlinkSync(join(folder, 'secret.key'), join(recording, 'screenshots', '1.jpg'))
  changeOwner(recording, OTHER_USER)
  const owners = [recording, join(recording, 'screenshots'), join(recording, 'screenshots', '1.jpg')].map((path) => lstatSync(path).uid)
  expect(owners).toEqual([OTHER_USER, OTHER_USER, OTHER_USER])
  expect(statSync(join(folder, 'secret.key')).uid).toBe(0)
  expect(statSync(recording).mode & 0o777).toBe(0o700)
})
