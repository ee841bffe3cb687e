// Code for a meeting's page: bundled once into a classic script, kept on the disk, and read from there by every host.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const require = createRequire(import.meta.url)
const KEPT = join(ROOT, 'node_modules', '.cache', 'emissary-pages')

/** `inputs`: the hash of each file that went into the code, by its path from the root. */
type Bundle = { readonly inputs: Readonly<Record<string, string>>; readonly code: string }

/** Read and checked once: every bot of a host gets the same. */
const bundles = new Map<string, string>()

/** A script that calls `name`, which `file` exports, with these arguments. Nothing of it stays in the page's scope. */
export function pageCall(folder: string, file: string, name: string, ...given: readonly unknown[]): string {
  return `${pageFunction(folder, file, name)}(${given.map((it) => JSON.stringify(it)).join()})`
}

/** An expression for the function itself. */
export function pageFunction(folder: string, file: string, name: string): string {
  return `(() => {${codeOf(fileURLToPath(new URL(file, folder)))}return page.${name}})()`
}

/** Bundles it now, so that no host has to. */
export function prepare(folder: string, file: string): void {
  codeOf(fileURLToPath(new URL(file, folder)))
}

function codeOf(entry: string): string {
  const known = bundles.get(entry)
  if (known !== undefined) return known
  const { code } = kept(entry) ?? keep(entry, bundle(entry))
  bundles.set(entry, code)
  return code
}

function bundle(entry: string): Bundle {
  const { buildSync } = loadBundler()
  const { outputFiles, metafile } = buildSync({
    ...{ entryPoints: [entry], absWorkingDir: ROOT, bundle: true, write: false, metafile: true },
    ...{ format: 'iife', globalName: 'page', target: 'es2024', legalComments: 'none' },
  })
  const inputs = Object.keys(metafile.inputs).map((path) => [path, hashOf(path)])
  return { inputs: Object.fromEntries(inputs), code: outputFiles[0]?.text ?? '' }
}

/** Loaded only where a bundle is missing, and so that it keeps no idle process for as long as this one lives. */
function loadBundler(): typeof import('esbuild') {
  try {
    // biome-ignore lint/style/noProcessEnv: Read by esbuild when it is loaded. A worker that it starts later must not find it.
    process.env.ESBUILD_WORKER_THREADS = '0'
    return require('esbuild')
  } finally {
    // biome-ignore lint/style/noProcessEnv: The same.
    delete process.env.ESBUILD_WORKER_THREADS
  }
}

/** Null where it is not there, or its sources have changed since. */
function kept(entry: string): Bundle | null {
  try {
    const bundle = JSON.parse(readFileSync(placeOf(entry), 'utf8')) as Bundle
    return Object.entries(bundle.inputs).every(([path, hash]) => hashOf(path) === hash) ? bundle : null
  } catch {
    return null
  }
}

function keep(entry: string, bundle: Bundle): Bundle {
  try {
    mkdirSync(KEPT, { recursive: true })
    writeFileSync(`${placeOf(entry)}.${process.pid}`, JSON.stringify(bundle))
    renameSync(`${placeOf(entry)}.${process.pid}`, placeOf(entry))
  } catch {
    // A host without the right to write there bundles for itself.
  }
  return bundle
}

function placeOf(entry: string): string {
  return join(KEPT, `${createHash('sha256').update(entry).digest('hex').slice(0, 16)}.json`)
}

function hashOf(path: string): string {
  return createHash('sha256')
    .update(readFileSync(resolve(ROOT, path)))
    .digest('hex')
}
