import { writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderForFile } from '../../../../test/helpers/for-file.ts'
import { notePredecessors } from './predecessors.ts'

const folder = folderForFile('emissary-predecessors-')
const NO_PROCESS = 2 ** 30

const note = (...started: readonly { id: string; pid: number; host?: string }[]) =>
  writeFile(join(folder, 'nodes.json'), JSON.stringify(started.map((it) => ({ host: hostname(), ...it }))))

test('names the nodes of earlier processes of the folder', async () => {
  expect(await notePredecessors(folder, 'node_a')).toEqual(new Set())
  expect(await notePredecessors(folder, 'node_b')).toEqual(new Set(['node_a']))
})

test('names no node whose process runs', async () => {
  await note({ id: 'node_running', pid: process.ppid }, { id: 'node_ended', pid: NO_PROCESS })
  expect(await notePredecessors(folder, 'node_b')).toEqual(new Set(['node_ended']))
})

test('names no node of another machine that shares the folder', async () => {
  await note(
    { id: 'node_elsewhere', pid: NO_PROCESS, host: 'another-machine' },
    { id: 'node_elsewhere_too', pid: process.pid, host: 'another-machine' },
  )
  expect(await notePredecessors(folder, 'node_b')).toEqual(new Set())
})

test('starts with a file that was damaged', async () => {
  await writeFile(join(folder, 'nodes.json'), '[{')
  expect(await notePredecessors(folder, 'node_b')).toEqual(new Set())
})
