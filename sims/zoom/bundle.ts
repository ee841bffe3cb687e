// Bundles the page scripts, each entry once.
import { join } from 'node:path'
import { build } from 'esbuild'

const made = new Map<string, Promise<string>>()

export function bundleOf(entry: string): Promise<string> {
  const bundle = made.get(entry) ?? bundled(entry)
  made.set(entry, bundle)
  return bundle
}

async function bundled(entry: string): Promise<string> {
  const entryPoints = [join(import.meta.dirname, 'page', entry)]
  const { outputFiles } = await build({ entryPoints, bundle: true, write: false, format: 'iife', target: 'es2022' })
  return outputFiles[0]?.text ?? ''
}
