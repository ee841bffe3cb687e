// Prepares participant names for drawing: cleaned, shortened to the tile, with a font that has all their letters.
import { runProcess } from '../../../kit/process.ts'

/** Characters that an outline font cannot draw: emoji, control characters and direction marks. */
const UNDRAWN = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\p{C}]|\ufe0f/gu
const MEAN_LETTER = 0.58
const FIND_LIMIT_MS = 10_000

export function drawnName(name: string, widthPixels: number, fontPixels: number): string {
  const clean = cleaned(name)
  const most = Math.max(3, Math.floor(widthPixels / (fontPixels * MEAN_LETTER)))
  const letters = [...clean]
  return letters.length <= most
    ? clean
    : `${letters
        .slice(0, most - 1)
        .join('')
        .trimEnd()}…`
}

/** The first letters of the first and the last word of the name. */
export function initialsOf(name: string): string {
  const words = cleaned(name)
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => word !== '')
  const last = words.length > 1 ? words.at(-1) : undefined
  return [words[0], last]
    .map((word) => [...(word ?? '')][0] ?? '')
    .join('')
    .toLocaleUpperCase('en')
}

function cleaned(name: string): string {
  return name.normalize('NFC').replace(/\s/gu, ' ').replace(UNDRAWN, '').replace(/ +/gu, ' ').trim()
}

/** The file of an installed font that has all these letters; null where there is none, because placeholder boxes are useless. */
export async function fontFor(text: string, signal: AbortSignal | undefined): Promise<string | null> {
  const letters = [...new Set(text)].map((letter) => letter.codePointAt(0)?.toString(16)).join(' ')
  const wanted = `:outline=true:color=false:charset=${letters}`
  const all = await ask('fc-list', [wanted, 'file'], signal)
  return all === null ? null : ask('fc-match', ['-f', '%{file}', `sans-serif${wanted}`], signal)
}

async function ask(program: string, args: readonly string[], signal: AbortSignal | undefined): Promise<string | null> {
  try {
    return String(await runProcess({ program, args, limitMs: FIND_LIMIT_MS, signal })).trim() || null
  } catch {
    signal?.throwIfAborted()
    return null // Without fontconfig no name is drawn, and the result reports `named: false`.
  }
}
