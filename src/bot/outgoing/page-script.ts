// The code of page/, made into text that can be put into any page: types are stripped, files are joined, nothing is bundled.
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'

/** In an order in which nothing at top level is used before it is made; no two share a top-level name. */
const FILES = ['parts.ts', 'microphone.ts', 'frames.ts', 'camera.ts', 'devices.ts', 'start.ts']

/** One classic script, all of it inside a function. `name` is that of the global by which we reach it. */
export function outgoingScript(name: string): string {
  const code = FILES.map((file) => readFileSync(new URL(`page/${file}`, import.meta.url), 'utf8'))
    .map((source) => stripTypeScriptTypes(source))
    .map((text) => text.replaceAll(/^import\s[^;'"]*\sfrom\s+'[^']+'$/gm, '').replaceAll(/^export /gm, ''))
  return `(() => {${code.join('\n')}\nstartOutgoing(${JSON.stringify(name)})\n})()`
}
