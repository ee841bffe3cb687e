// `emissary zoom install` with the operator's own registry.
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { startRegistry } from '../helpers/service/npm-registry.ts'

const run = promisify(execFile)

test('installs the Zoom SDK from the registry of the operator’s npm, and no other package', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'emissary-zoom-install-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const zoom = { name: '@zoom/meetingsdk', version: '6.2.0' }
  const registry = await startRegistry(zoom, join(folder, 'source'), { 'dist/zoom-meeting-6.2.0.min.js': 'another client' })
  onTestFinished(() => registry.close())
  const npm = { npm_config_registry: registry.url, npm_config_cache: join(folder, 'npm'), npm_config_fetch_retries: '0' }
  const env = { PATH: process.env.PATH, HOME: folder, DATA_DIR: join(folder, 'data'), ...npm }
  const failed = await run('node', ['src/cli.ts', 'zoom', 'install'], { env }).catch((error: { code: number; stderr: string }) => error)
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('@zoom/meetingsdk@6.2.0 is not the package that was checked') })
  expect(registry.fetches()).toBe(1)
  expect(await readdir(join(folder, 'data'))).toEqual([])
})
