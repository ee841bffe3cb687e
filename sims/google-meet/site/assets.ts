// The page's own files: its modules with types stripped, and its style sheet with the class names of this load.
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readModule } from '../../site/page-modules.ts'

export type Assets = {
  /** By its path below this folder, as the modules import each other. */
  readonly modules: ReadonlyMap<string, string>
  styleWith(classes: Readonly<Record<string, string>>): string
  classes(how: 'known' | 'rotating'): Readonly<Record<string, string>>
}

/** Class names of the real page, as far as the field notes know them. */
const KNOWN: Readonly<Record<string, string>> = {
  ending: 'roSPhc',
  speaking: 'Oaajhc',
  silent: 'gjg47c',
  caption: 'nMcdL',
  'caption-speaker': 'NWpY1d',
  'caption-text': 'VbkSUe',
  message: 'RLrADb',
  'message-sender': 'poVWob',
  'message-text': 'jO4O1',
}

const STYLES = ['style.css', 'call.css', 'icons.css']
const CLASS = /\.([a-z][a-z0-9-]*)(?=[^{}]*\{)/g

export function readAssets(): Assets {
  const directory = import.meta.dirname
  const style = STYLES.map((name) => readFileSync(join(directory, 'page', name), 'utf8')).join('\n')
  const names = [...new Set([...style.matchAll(CLASS)].map(([, name = '']) => name))]
  const inPage = readdirSync(join(directory, 'page'), { recursive: true, encoding: 'utf8' })
  const modules = ['wire.ts', ...inPage.filter((name) => name.endsWith('.ts')).map((name) => `page/${name}`)]
  return {
    modules: new Map(modules.map((name) => [name, readModule(join(directory, name))])),
    styleWith: (classes) => style.replace(CLASS, (whole, name: string) => (classes[name] ? `.${classes[name]}` : whole)),
    classes: (how) => Object.fromEntries(names.map((name) => [name, how === 'known' ? (KNOWN[name] ?? minified(name)) : random()])),
  }
}

function minified(name: string): string {
  return lettersOf(createHash('sha256').update(name).digest())
}

function random(): string {
  return lettersOf(randomBytes(12))
}

function lettersOf(bytes: Buffer): string {
  return `x${bytes
    .toString('base64')
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .slice(0, 6)}`
}
