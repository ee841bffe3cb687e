// Bundles code for a meeting's page into a classic script, and caches it on the disk for every worker.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const require = createRequire(import.meta.url)
const CACHE = join(ROOT, 'node_modules', '.cache', 'emissary-pages')

/** `inputs`: the hash of each source file, by its path from the root. */
type Bundle = { readonly inputs: Readonly<Record<string, string>>; readonly code: string }

/** Read once per process: every bot of a worker gets the same code. */
const bundles = new Map<string, string>()

/** A script that calls the export `name` of `file` with these arguments. It leaves no global in the page. */
export function pageCall(folder: string, file: string, name: string, ...given: readonly unknown[]): string {
  return `${pageFunction(folder, file, name)}(${given.map((it) => JSON.stringify(it)).join()})`
}

/** An expression that evaluates to the function itself. */
export function pageFunction(folder: string, file: string, name: string): string {
  return `(() => {${codeOf(folder, file)}return page.${name}})()`
}

/** An expression that evaluates to an object that code in the page has hidden, or to undefined. */
export function hiddenObject(name: string): string {
  return `((box) => (performance.dispatchEvent(new CustomEvent(${JSON.stringify(name)}, { detail: box })), box.object))({})`
}

/** The code of the file's bundle. */
export function codeOf(folder: string, file: string): string {
  const entry = fileURLToPath(new URL(file, folder))
  const known = bundles.get(entry)
  if (known !== undefined) return known
  const { code } = cached(entry) ?? cache(entry, bundle(entry))
  bundles.set(entry, code)
  return code
}

function bundle(entry: string): Bundle {
  const { buildSync } = loadBundler()
  const { outputFiles, metafile } = buildSync({
    entryPoints: [entry],
    absWorkingDir: ROOT,
    bundle: true,
    write: false,
    metafile: true,
    format: 'iife',
    globalName: 'page',
    target: 'es2024',
    legalComments: 'none',
  })
  const inputs = Object.keys(metafile.inputs).map((path) => [path, hashOf(path)])
  return { inputs: Object.fromEntries(inputs), code: outputFiles[0]?.text ?? '' }
}

/** Loads esbuild only if a bundle is missing, and without its service process, which would outlive the build. */
export function loadBundler(): typeof import('esbuild') {
  try {
    // biome-ignore lint/style/noProcessEnv: esbuild reads it when it is loaded. A worker that it starts later must not inherit it.
    process.env.ESBUILD_WORKER_THREADS = '0'
    return require('esbuild')
  } finally {
    // biome-ignore lint/style/noProcessEnv: The same.
    delete process.env.ESBUILD_WORKER_THREADS
  }
}

/** Null if there is no cached bundle, or its sources have changed. */
function cached(entry: string): Bundle | null {
  try {
    const bundle = JSON.parse(readFileSync(cachePath(entry), 'utf8')) as Bundle
    return Object.entries(bundle.inputs).every(([path, hash]) => hashOf(path) === hash) ? bundle : null
  } catch {
    return null
  }
}

function cache(entry: string, bundle: Bundle): Bundle {
  try {
    mkdirSync(CACHE, { recursive: true })
    writeFileSync(`${cachePath(entry)}.${process.pid}`, JSON.stringify(bundle))
    renameSync(`${cachePath(entry)}.${process.pid}`, cachePath(entry))
  } catch {
    // A worker without write permission bundles for itself.
  }
  return bundle
}

function cachePath(entry: string): string {
  return join(CACHE, `${createHash('sha256').update(entry).digest('hex').slice(0, 16)}.json`)
}

function hashOf(path: string): string {
  return createHash('sha256')
    .update(readFileSync(resolve(ROOT, path)))
    .digest('hex')
}
