// Words as tones, which a simulated recogniser really recognises, so that a lost, repeated or misplaced word shows.

export const RATE = 16_000
const WORD_SECONDS = 0.3
const FRAME = RATE / 50
const LOUD = 0.05
const TONES: Readonly<Record<string, number>> = { alpha: 400, bravo: 600, charlie: 800, delta: 1000, echo: 1200 }

export type ToneWord = { readonly word: string; readonly start: number; readonly end: number }

/** Each word at its moment, with silence elsewhere. */
export function sayTones(words: readonly (readonly [string, number])[], seconds: number): Int16Array {
  const pcm = new Int16Array(Math.round(seconds * RATE))
  for (const [word, at] of words) {
    const step = (2 * Math.PI * (TONES[word] ?? 0)) / RATE
    const from = Math.round(at * RATE)
    for (let index = 0; index < WORD_SECONDS * RATE; index++) pcm[from + index] = Math.round(12_000 * Math.sin(step * index))
  }
  return pcm
}

/** The words in this audio, with their times. */
export function recogniseTones(pcm: Int16Array): ToneWord[] {
  const found: ToneWord[] = []
  let from: number | null = null
  for (let at = 0; at <= pcm.length; at += FRAME) {
    const isLoud = loudness(pcm.subarray(at, at + FRAME)) > LOUD
    if (isLoud && from === null) from = at
    if (isLoud || from === null) continue
    found.push({ word: named(pcm.subarray(from, at)), start: from / RATE, end: at / RATE })
    from = null
  }
  return found
}

/** Phrases between silences, in a recogniser's notation. */
export function phrases(words: readonly ToneWord[]): { text: string; words: (ToneWord & { written: string })[] }[] {
  const groups: ToneWord[][] = []
  for (const word of words) {
    const last = groups.at(-1)?.at(-1)
    if (last && word.start - last.end < 0.8) groups.at(-1)?.push(word)
    else groups.push([word])
  }
  return groups.map((group) => {
    const written = group.map((word, index) => ({ ...word, written: dressed(word.word, index === 0, index === group.length - 1) }))
    return { text: written.map((word) => word.written).join(' '), words: written }
  })
}

export function transcriptOf(words: readonly ToneWord[]): string {
  return phrases(words)
    .map(({ text }) => text)
    .join(' ')
}

function dressed(word: string, isFirst: boolean, isLast: boolean): string {
  return `${isFirst ? word.charAt(0).toUpperCase() + word.slice(1) : word}${isLast ? '.' : ''}`
}

function loudness(frame: Int16Array): number {
  return frame.length === 0 ? 0 : Math.sqrt(frame.reduce((sum, sample) => sum + (sample / 32_768) ** 2, 0) / frame.length)
}

function named(pcm: Int16Array): string {
  let crossings = 0
  for (let index = 1; index < pcm.length; index++) if ((pcm[index] ?? 0) >= 0 && (pcm[index - 1] ?? 0) < 0) crossings++
  const hertz = (crossings * RATE) / pcm.length
  return Object.entries(TONES).toSorted(([, a], [, b]) => Math.abs(a - hertz) - Math.abs(b - hertz))[0]?.[0] ?? '?'
}
