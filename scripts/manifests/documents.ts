// Reads the files of a deployment: YAML documents, and the instructions of the Dockerfile.
import { parseAllDocuments } from 'yaml'

/** The text of each file, by its path from the root of the repository. */
export type Files = ReadonlyMap<string, string>

export type Manifest = { readonly file: string; readonly kind: string; readonly name: string; readonly document: unknown }

type Key = string | number

export function at(value: unknown, ...path: readonly Key[]): unknown {
  let found = value
  for (const key of path) found = typeof found === 'object' && found !== null ? Reflect.get(found, key) : undefined
  return found
}

export function listAt(value: unknown, ...path: readonly Key[]): readonly unknown[] {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}

export function entriesAt(value: unknown, ...path: readonly Key[]): readonly (readonly [string, unknown])[] {
  const found = at(value, ...path)
  return typeof found === 'object' && found !== null ? Object.entries(found) : []
}

export function textAt(value: unknown, ...path: readonly Key[]): string {
  const found = at(value, ...path)
  return typeof found === 'string' || typeof found === 'number' ? String(found) : ''
}

/** By text: every check reads the same files. */
const parsed = new Map<string, readonly unknown[]>()

/** Throws with the file and the line of the first error. */
export function documentsOf(files: Files, file: string): readonly unknown[] {
  const text = files.get(file) ?? ''
  const known = parsed.get(text)
  if (known) return known
  const documents = parseAllDocuments(text, { merge: true }).map((document) => {
    const [error] = document.errors
    if (error) throw new Error(`${file}: ${error.message}`)
    return document.toJS()
  })
  parsed.set(text, documents)
  return documents
}

export function manifestsOf(files: Files): readonly Manifest[] {
  const paths = [...files.keys()].filter((path) => path.startsWith('ops/kubernetes/'))
  return paths.flatMap((file) =>
    documentsOf(files, file).map((document) => ({
      file,
      kind: textAt(document, 'kind'),
      name: textAt(document, 'metadata', 'name'),
      document,
    })),
  )
}

/** The containers of a Deployment; none in other manifests. */
export function containersOf({ document }: Manifest): readonly unknown[] {
  return listAt(document, 'spec', 'template', 'spec', 'containers')
}

export type Instruction = { readonly name: string; readonly text: string }

/** The instructions of the Dockerfile, with the defaults of arguments that stand before the first FROM. */
export function instructionsOf(files: Files): readonly Instruction[] {
  const lines = (files.get('Dockerfile') ?? '').split('\n').filter((line) => !/^\s*#/.test(line))
  const whole = lines.join('\n').replaceAll(/\\\n\s*/g, '')
  const found = whole.split('\n').flatMap((line) => {
    const [, name = '', text = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? []
    return name ? [{ name, text }] : []
  })
  const first = found.findIndex(({ name }) => name === 'FROM')
  const defaults = found.slice(0, first).map(({ text }) => text.split('='))
  const fill = (text: string) => defaults.reduce((filled, [name, value = '']) => filled.replaceAll(`\${${name}}`, value), text)
  return found.map(({ name, text }) => ({ name, text: name === 'FROM' ? fill(text) : text }))
}

/** The environment of the image: the instructions ENV of the last stage. */
export function imageEnvironment(files: Files): Readonly<Record<string, string>> {
  const all = instructionsOf(files)
  const last = all.slice(all.findLastIndex(({ name }) => name === 'FROM')).filter(({ name }) => name === 'ENV')
  return Object.fromEntries(last.flatMap(({ text }) => text.split(' ').map((pair) => pair.split('='))))
}
