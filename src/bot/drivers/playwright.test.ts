import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import playwright from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { compactPlaywright, loadPlaywright } from './playwright.ts'

const PACKAGE = join(import.meta.dirname, '../../../node_modules/playwright-core')
const LARGE = ['lib/coreBundle.js', 'lib/utilsBundle.js']

function emptyCache(): string {
  const cache = mkdtempSync(join(tmpdir(), 'compact-playwright-'))
  onTestFinished(() => rmSync(cache, { recursive: true, force: true }))
  return cache
}

test('makes a copy with the API of the package, in one byte for each character and at most 80 % of the length', () => {
  const cache = emptyCache()
  compactPlaywright(buildSync, cache)
  const compact = loadPlaywright(cache)
  expect(Object.keys(compact)).toEqual(Object.keys(playwright))
  expect(compact.chromium).not.toBe(playwright.chromium)
  expect(compact.chromium.name()).toBe('chromium')
  expect(new compact.errors.TimeoutError('late').name).toBe('TimeoutError')

  const [version = ''] = readdirSync(cache)
  expect(statSync(join(cache, version)).mode & 0o777).toBe(0o755)
  for (const part of LARGE) {
    const bytes = readFileSync(join(cache, version, part))
    expect(bytes.findIndex((byte) => byte > 0x7f)).toBe(-1)
    expect(bytes.length).toBeLessThan(0.8 * statSync(join(PACKAGE, part)).size)
  }
})

test('changes nothing and leaves no draft if the version was copied before', () => {
  const cache = emptyCache()
  compactPlaywright(buildSync, cache)
  const written = statSync(join(cache, readdirSync(cache)[0] ?? '')).mtimeMs
  compactPlaywright(buildSync, cache)
  expect(readdirSync(cache)).toHaveLength(1)
  expect(statSync(join(cache, readdirSync(cache)[0] ?? '')).mtimeMs).toBe(written)
})

test('loads the package itself where no copy was made', () => {
  expect(loadPlaywright(emptyCache()).chromium).toBe(playwright.chromium)
})
