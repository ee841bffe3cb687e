// The transcript: merges the utterances of all voices into readable turns, ordered by time.

/** Times in seconds. */
export type SpokenWord = {
  /** Lower case, without punctuation. */
  readonly word: string
  readonly punctuatedWord: string
  readonly start: number
  readonly end: number
  /** 0 to 1. */
  readonly confidence: number
}

/** Words as the API publishes them: in transcripts and as live words. */
export function publishedWords(words: readonly SpokenWord[], speaker: string) {
  return words.map(({ word, punctuatedWord, start, end, confidence }) => ({
    word,
    start,
    end,
    confidence,
    speaker,
    punctuated_word: punctuatedWord,
    speech_confidence: confidence,
  }))
}

/** Speech between two silences. */
export type Utterance = { readonly text: string; readonly start: number; readonly end: number; readonly words: readonly SpokenWord[] }

/** The audio of one participant, or a part of it. Its own time begins at `startSeconds` of the recording. */
export type Voice = {
  readonly speakerId: string
  readonly speaker: string
  readonly startSeconds: number
  readonly utterances: readonly Utterance[]
}

export type Turn = Utterance & { readonly speakerId: string; readonly speaker: string }

/** A longer silence starts a new turn. */
const LONGEST_GAP_SECONDS = 1.5
/** A longer turn is split into paragraphs. */
const LONGEST_TURN_SECONDS = 60

/** Ordered by start. Overlapping speakers have separate turns. */
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
