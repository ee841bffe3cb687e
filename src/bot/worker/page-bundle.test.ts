import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import vm from 'node:vm'
import { expect, onTestFinished, test } from 'vitest'

test('bundles an export with its imports, leaves no global, and bundles again when an import has changed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'page-bundle-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const imported = join(folder, 'words.ts')
  writeFileSync(imported, "export const word: string = 'first'\n")
  writeFileSync(
    join(folder, 'start.ts'),
    "import { word } from './words.ts'\nexport function start(given: { name: string }): string {\n  return given.name + ' ' + word\n}\n",
  )
  // A new process has no bundle in memory, and finds the cache on the disk.
  let processes = 0
  const run = async () => {
    const module = `./page-bundle.ts?process=${++processes}`
    const { pageCall } = (await import(module)) as typeof import('./page-bundle.ts')
    const global = {}
    const result: unknown = vm.runInNewContext(pageCall(`${pathToFileURL(folder)}/`, 'start.ts', 'start', { name: '</script>' }), global)
    expect(Object.keys(global)).toEqual([])
    return result
  }
  expect(await run()).toBe('</script> first')
  expect(await run()).toBe('</script> first')
  writeFileSync(imported, "export const word: string = 'second'\n")
  expect(await run()).toBe('</script> second')
})
