// The SDK comes through the real npm, from a registry of our own on loopback: checked, whole, and once.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { NpmPackage } from '../kit/npm-package.ts'
import { hasZoomSdk, installZoomSdk, ZOOM_SDK, zoomSdkProblem } from './zoom-sdk.ts'

const run = promisify(execFile)
const SCRIPT = 'dist/zoom-meeting-6.2.0.min.js'
const NAME = '@emissary-test/sdk'

let folder = ''
let registry: Server
let fetches = 0
let tarball: Buffer = Buffer.alloc(0)
let wanted: NpmPackage

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'emissary-zoom-'))
  tarball = await packed()
  fetches = 0
  registry = createServer((request, response) => {
    if (request.url?.endsWith('.tgz')) {
      fetches++
      response.end(tarball)
    } else response.end(JSON.stringify(packument(`http://${request.headers.host}/sdk-1.2.3.tgz`)))
  })
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve))
  wanted = { name: NAME, version: '1.2.3', integrity: integrityOf(tarball) }
})
afterEach(async () => {
  registry.closeAllConnections()
  registry.close()
  await rm(folder, { recursive: true })
})

const integrityOf = (bytes: Buffer) => `sha512-${createHash('sha512').update(bytes).digest('base64')}`

async function packed(): Promise<Buffer> {
  const source = path.join(folder, 'source', 'package')
  await mkdir(path.join(source, 'dist/lib'), { recursive: true })
  await writeFile(path.join(source, SCRIPT), 'the client')
  await writeFile(path.join(source, 'dist/lib/audio.wasm'), 'sound', { mode: 0o600 })
  await writeFile(path.join(source, 'package.json'), JSON.stringify({ name: NAME, version: '1.2.3' }))
  const { stdout } = await run('tar', ['-cz', '-C', path.dirname(source), 'package'], { encoding: 'buffer' })
  return stdout
}

function packument(address: string): unknown {
  const dist = { tarball: address, integrity: integrityOf(tarball), shasum: createHash('sha1').update(tarball).digest('hex') }
  return { name: NAME, 'dist-tags': { latest: '1.2.3' }, versions: { '1.2.3': { name: NAME, version: '1.2.3', dist } } }
}

const place = () => path.join(folder, 'data', 'zoom-sdk')
const problem = async (of = wanted, where = place()) => (await zoomSdkProblem(where, of))?.says ?? null

function install(into = place(), onProgress: (sentence: string) => void = () => undefined): Promise<void> {
  const { port } = registry.address() as AddressInfo
  const npmArguments = ['--registry', `http://127.0.0.1:${port}`, '--cache', path.join(folder, 'npm'), '--fetch-retries', '0']
  return installZoomSdk(into, { wanted, npmArguments, onProgress })
}

test('the package is installed as it is, readable for hosts, and a second time nothing is fetched', async () => {
  const sentences: string[] = []
  expect([hasZoomSdk(place()), await problem()]).toEqual([false, 'it is not installed'])
  await install(place(), (sentence) => sentences.push(sentence))
  expect(await readFile(path.join(place(), SCRIPT), 'utf8')).toBe('the client')
  expect((await stat(path.join(place(), 'dist/lib/audio.wasm'))).mode & 0o777).toBe(0o644)
  expect((await stat(place())).mode & 0o777).toBe(0o755)
  expect([hasZoomSdk(place()), await problem()]).toEqual([true, null])
  expect(sentences).toEqual([`Fetching ${NAME}@1.2.3.`, `${NAME}@1.2.3 is installed in ${place()}.`])
  await install()
  expect(fetches).toBe(1)
  expect(await readdir(path.dirname(place())), 'nothing is left beside it').toEqual(['zoom-sdk'])
})

test('a missing file, a damaged file and another version are noticed, and mended by another install', async () => {
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

test('a package that was unpacked there by hand is noticed', async () => {
  expect(await problem(wanted, path.join(folder, 'source', 'package'))).toBe('it was not put there by emissary zoom install')
})

test('another package under the same name is refused, and nothing is left of it', async () => {
  wanted = { ...wanted, integrity: 'sha512-another' }
  await expect(install()).rejects.toThrow(`${NAME}@1.2.3 is not the package that was checked: its integrity is ${integrityOf(tarball)}.`)
  expect(await readdir(path.dirname(place()))).toEqual([])
})

test('a folder with something else in it is left alone', async () => {
  const other = path.join(folder, 'other')
  await mkdir(other)
  await writeFile(path.join(other, 'letter.txt'), 'dear')
  await expect(install(other)).rejects.toThrow(`${other} holds something else than ${NAME}. Set ZOOM_SDK_FOLDER to another folder`)
  expect(await readdir(other)).toEqual(['letter.txt'])
  expect(fetches).toBe(0)
})

test('the pinned package is named by version and integrity', () => {
  expect(ZOOM_SDK).toEqual({ name: '@zoom/meetingsdk', version: '6.2.0', integrity: expect.stringMatching(/^sha512-[\w+/]{86}==$/) })
})
