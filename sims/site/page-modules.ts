// The TypeScript modules of a simulated site for a browser: types are stripped, nothing is bundled.
import { readdirSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'

/** By path below the folder, as the modules import each other. */
export function readModules(folder: string, isServed: (name: string) => boolean): ReadonlyMap<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts') && isServed(name))
  return new Map(names.map((name) => [name, readModule(join(folder, name))]))
}

/** Hides Node's warning about an experimental function. */
export function readModule(file: string): string {
  const source = readFileSync(file, 'utf8')
  const { emitWarning } = process
  process.emitWarning = () => undefined
  try {
    return stripTypeScriptTypes(source)
  } finally {
    process.emitWarning = emitWarning
  }
}
