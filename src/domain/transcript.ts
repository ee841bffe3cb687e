// What was said: the utterances of every voice become turns that can be read, in the order in which people spoke.

/** Times in seconds. */
export type SpokenWord = {
  readonly word: string
  readonly punctuatedWord: string
  readonly start: number
  readonly end: number
  readonly confidence: number
}

type Spoken = { readonly text: string; readonly start: number; readonly end: number; readonly words: readonly SpokenWord[] }

/** One person's sound, or a stretch of it; its own time begins at `startSeconds` of the recording. */
export type Voice = {
  readonly speakerId: string
  readonly speaker: string
  readonly startSeconds: number
  readonly utterances: readonly Spoken[]
}

export type Turn = Spoken & { readonly speakerId: string; readonly speaker: string }

/** A longer silence is a new thought. */
const LONGEST_GAP_SECONDS = 1.5
/** Nobody reads a whole lecture as one paragraph. */
const LONGEST_TURN_SECONDS = 60

/** Ordered by their beginnings. Who speaks at the same time as another has turns of their own. */
export function turnsOf(voices: readonly Voice[]): readonly Turn[] {
  const spoken = voices.flatMap(inRecordingTime).toSorted((a, b) => a.start - b.start || a.end - b.end)
  const turns: Turn[] = []
  for (const next of spoken) {
    const last = turns.at(-1)
    if (last && goesOn(last, next)) turns[turns.length - 1] = joined(last, next)
    else turns.push(next)
  }
  return turns
}

export function countWords(turns: readonly Turn[]): number {
  return turns.reduce((sum, { words }) => sum + words.length, 0)
}

function inRecordingTime({ speakerId, speaker, startSeconds, utterances }: Voice): Turn[] {
  const shifted = (seconds: number) => Math.max(0, Math.round((seconds + startSeconds) * 1000) / 1000)
  return utterances
    .filter(({ text }) => text.trim() !== '')
    .map(({ text, start, end, words }) => ({
      speakerId,
      speaker,
      text: text.trim(),
      start: shifted(start),
      end: shifted(end),
      words: words.map((word) => ({ ...word, start: shifted(word.start), end: shifted(word.end) })),
    }))
}

function goesOn(last: Turn, next: Turn): boolean {
  return (
    last.speakerId === next.speakerId &&
    next.start - last.end < LONGEST_GAP_SECONDS &&
    Math.max(last.end, next.end) - last.start <= LONGEST_TURN_SECONDS
  )
}

function joined(last: Turn, next: Turn): Turn {
  return { ...last, text: `${last.text} ${next.text}`, end: Math.max(last.end, next.end), words: [...last.words, ...next.words] }
}
