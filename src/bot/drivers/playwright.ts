// Playwright without comments and blanks. Node keeps the source of a module in memory, with two bytes for each character if one comment has
// a character that is not Latin: 14 MB in every worker. The compact copy takes 5 MB.
import {
  accessSync,
  chmodSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { buildSync } from 'esbuild'

const require = createRequire(import.meta.url)
const PACKAGE = dirname(require.resolve('playwright-core/package.json'))
const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/emissary-playwright', import.meta.url))
/** Everything that a worker loads. */
const PARTS = [
  'package.json',
  'browsers.json',
  'index.js',
  'lib/bootstrap.js',
  'lib/webp_codec.wasm',
  'lib/coreBundle.js',
  'lib/utilsBundle.js',
]
const LARGE = ['lib/coreBundle.js', 'lib/utilsBundle.js']

/** The compact copy, or the package itself where `compactPlaywright` has not run or has run as a user whose files this one cannot read. */
export function loadPlaywright(cache = CACHE): typeof import('playwright-core') {
  const compact = folderIn(cache)
  return require(PARTS.every((part) => isReadable(join(compact, part))) ? compact : 'playwright-core')
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK)
    return true
  } catch {
    return false
  }
}

/** Writes the copy for the installed version. */
export function compactPlaywright(build: typeof buildSync, cache = CACHE): void {
  const folder = folderIn(cache)
  if (existsSync(folder)) return
  mkdirSync(cache, { recursive: true })
  const draft = mkdtempSync(join(cache, 'draft-'))
  // Workers may run as other users.
  chmodSync(draft, 0o755)
  for (const part of PARTS) cpSync(join(PACKAGE, part), join(draft, part))
  for (const part of LARGE) writeFileSync(join(draft, part), compacted(build, join(PACKAGE, part)))
  try {
    // Complete or absent: another process may load it.
    renameSync(draft, folder)
  } catch (error) {
    rmSync(draft, { recursive: true })
    if (!existsSync(folder)) throw error
  }
}

/** Names stay, because Playwright reads some of them. */
function compacted(build: typeof buildSync, file: string): string {
  const { outputFiles } = build({
    entryPoints: [file],
    write: false,
    platform: 'node',
    charset: 'ascii',
    minifyWhitespace: true,
    legalComments: 'none',
  })
  const text = outputFiles[0]?.text
  if (!text) throw new Error(`esbuild gave no output for ${file}`)
  return text
}

function folderIn(cache: string): string {
  const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { version: string }
  return join(cache, version)
}
