// Code for a page, made into text that can be put into any page: types are stripped, files are joined, nothing is bundled.
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'

/**
 * Each file's imports and the word `export` go, the rest stands as it is, one file behind the other in one scope. So the files must come
 * in an order in which nothing at top level is used before it is made, and no two may share a top-level name; a name that is taken twice
 * is a syntax error, which the tests would meet.
 */
export function pageText(folder: string, files: readonly string[]): string {
  return files.map((file) => textOf(new URL(file, folder).href)).join('\n')
}

/** Read once: every bot gets the same. */
const texts = new Map<string, string>()

function textOf(file: string): string {
  const known = texts.get(file)
  if (known !== undefined) return known
  const code = stripTypeScriptTypes(readFileSync(new URL(file), 'utf8'))
  const text = code.replaceAll(/^import\s[^;'"]*\sfrom\s+'[^']+'$/gm, '').replaceAll(/^export /gm, '')
  texts.set(file, text)
  return text
}
