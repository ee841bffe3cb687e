// The code blocks of the documentation, with their language and the comment before them.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

export type Snippet = {
  readonly file: string
  readonly line: number
  /** Empty for text that is no snippet, such as the output of a program. */
  readonly language: string
  readonly code: string
  /** `json: Name` names the published schema, `json: Name, in part` allows missing fields, `not run: …` gives the reason. */
  readonly note: string
}

const BLOCK = /^(?: *<!-- (.+) -->\n)?( *)```(\w*)\n([\s\S]*?)\n?^ *```$/gm

/** The pages that contain snippets. */
export async function documentationFiles(): Promise<string[]> {
  const pages = (await readdir('docs')).filter((name) => name.endsWith('.md')).sort()
  return ['README.md', ...pages.map((name) => join('docs', name))]
}

export async function snippetsOf(file: string): Promise<Snippet[]> {
  const text = await readFile(file, 'utf8')
  return [...text.matchAll(BLOCK)].map(({ index, 1: note = '', 2: indent = '', 3: language = '', 4: code = '' }) => ({
    file,
    line: text.slice(0, index).split('\n').length,
    language,
    code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    note,
  }))
}
