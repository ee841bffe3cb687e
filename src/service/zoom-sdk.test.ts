// Installs a package with the real npm from a registry on loopback.
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Registry, startRegistry } from '../../test/helpers/service/npm-registry.ts'
import type { NpmPackage } from '../kit/npm-package.ts'
import { hasZoomSdk, installZoomSdk, ZOOM_SDK, zoomSdkProblem } from './zoom-sdk.ts'

const SCRIPT = 'dist/zoom-meeting-6.2.0.min.js'
const NAME = '@emissary-test/sdk'

let folder = ''
let registry: Registry
let wanted: NpmPackage

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'emissary-zoom-'))
  const named = { name: NAME, version: '1.2.3' }
  registry = await startRegistry(named, path.join(folder, 'source'), { [SCRIPT]: 'the client', 'dist/lib/audio.wasm': 'sound' })
  wanted = { ...named, integrity: registry.integrity }
})
afterEach(async () => {
  registry.close()
  await rm(folder, { recursive: true })
})

const place = () => path.join(folder, 'data', 'zoom-sdk')
const problem = async (of = wanted, where = place()) => (await zoomSdkProblem(where, of))?.says ?? null

function install(into = place(), onProgress: (sentence: string) => void = () => undefined): Promise<void> {
  const npmArguments = ['--registry', registry.url, '--cache', path.join(folder, 'npm'), '--fetch-retries', '0']
  return installZoomSdk(into, { wanted, npmArguments, onProgress })
}

test('installs the package unchanged and readable for workers, and downloads nothing the second time', async () => {
  const sentences: string[] = []
  expect([hasZoomSdk(place()), await problem()]).toEqual([false, 'it is not installed'])
  await install(place(), (sentence) => sentences.push(sentence))
  expect(await readFile(path.join(place(), SCRIPT), 'utf8')).toBe('the client')
  expect((await stat(path.join(place(), 'dist/lib/audio.wasm'))).mode & 0o777).toBe(0o644)
  expect((await stat(place())).mode & 0o777).toBe(0o755)
  expect([hasZoomSdk(place()), await problem()]).toEqual([true, null])
  expect(sentences).toEqual([`Fetching ${NAME}@1.2.3.`, `${NAME}@1.2.3 is installed in ${place()}.`])
  await install()
  expect(registry.fetches()).toBe(1)
  expect(await readdir(path.dirname(place())), 'nothing is left beside it').toEqual(['zoom-sdk'])
})

test('detects a missing file, a damaged file and another version, and repairs them by another install', async () => {
  await install()
  await writeFile(path.join(place(), SCRIPT), 'half')
  expect(await problem()).toBe(`${SCRIPT} is damaged`)
  await rm(path.join(place(), SCRIPT))
  expect(await problem()).toBe(`${SCRIPT} is missing`)
  expect(await problem({ ...wanted, version: '1.2.4', integrity: 'sha512-another' })).toBe('it is not version 1.2.4')
  await install()
  expect(await problem()).toBeNull()
  expect(await readFile(path.join(place(), SCRIPT), 'utf8')).toBe('the client')
  expect(await readdir(path.dirname(place()))).toEqual(['zoom-sdk'])
})

test('reports a package that was unpacked by hand as unchecked', async () => {
  expect(await problem(wanted, path.join(folder, 'source', 'package'))).toBe('it was not installed by emissary zoom install')
})

test('rejects a package with another integrity and leaves no files', async () => {
  wanted = { ...wanted, integrity: 'sha512-another' }
  await expect(install()).rejects.toThrow(`${NAME}@1.2.3 is not the package that was checked: its integrity is ${registry.integrity}.`)
  expect(await readdir(path.dirname(place()))).toEqual([])
})

test('refuses to replace a folder with other files', async () => {
  const other = path.join(folder, 'other')
  await mkdir(other)
  await writeFile(path.join(other, 'letter.txt'), 'dear')
  await expect(install(other)).rejects.toThrow(`${other} contains files that are not ${NAME}. Set ZOOM_SDK_FOLDER to another folder`)
  expect(await readdir(other)).toEqual(['letter.txt'])
  expect(registry.fetches()).toBe(0)
})

test('pins the package by version and integrity', () => {
  expect(ZOOM_SDK).toEqual({ name: '@zoom/meetingsdk', version: '6.2.0', integrity: expect.stringMatching(/^sha512-[\w+/]{86}==$/) })
})
