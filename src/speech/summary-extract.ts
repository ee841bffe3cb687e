// Extractive summary without a model: the sentences that share the most words with the others, in their original order.

/** Times in seconds. */
export type Turn = { readonly speaker: string; readonly text: string; readonly start: number; readonly end: number }

type Sentence = { readonly speaker: string; readonly text: string; readonly words: readonly string[]; readonly place: number }

const LEAST_SENTENCES = 3
const MOST_SENTENCES = 7
/** Shorter sentences are answers, greetings or agreement. */
const LEAST_WORDS = 5
/** A sentence with at least this Jaccard similarity to a chosen one is left out. */
const TOO_SIMILAR = 0.6
/** English stop words. */
const COMMON = new Set(
  `a about actually after again all also am an and any are as at back be because been before being but by can come could did do does doing
  down even first for from get go going good got had has have he her here him his how i if in into is it its just kind know let like little
  look lot make many maybe me mean more much my no not now of oh ok okay on one only or other our out over people quite really right said
  say see she should so some something sort still such sure take than that the their them then there these they thing things think this
  those through time to too up us very want was way we well were what when where which while who why will with would yeah yes you your`.split(
    /\s+/,
  ),
)

/** At most `MOST_SENTENCES` sentences with their speakers. Empty if there is no long enough sentence. */
export function keySentences(turns: readonly Turn[]): readonly { readonly speaker: string; readonly text: string }[] {
  const sentences = turns.flatMap(sentencesOf).map((sentence, place) => ({ ...sentence, place }))
  const weights = weigh(sentences)
  const scored = sentences.filter(({ words }) => words.length > 0).map((sentence) => ({ ...sentence, score: scoreOf(sentence, weights) }))
  // In a short talk no word occurs twice, so the first sentences are used.
  const relevant = scored.some(({ score }) => score > 0) ? scored.filter(({ score }) => score > 0) : scored
  const best = relevant.toSorted((a, b) => b.score - a.score || a.place - b.place)
  const wanted = Math.min(MOST_SENTENCES, Math.max(LEAST_SENTENCES, Math.ceil(sentences.length / 4)))
  const chosen: Sentence[] = []
  for (const sentence of best) {
    if (chosen.length >= wanted) break
    if (chosen.every((other) => similarity(sentence, other) < TOO_SIMILAR)) chosen.push(sentence)
  }
  return chosen.toSorted((a, b) => a.place - b.place).map(({ speaker, text }) => ({ speaker, text }))
}

function sentencesOf({ speaker, text }: Turn): Omit<Sentence, 'place'>[] {
  const parts = text.split(/(?<=[.!?。！？।])\s*(?=\S)/u).map((part) => part.trim())
  return parts.filter((part) => part.split(/\s+/).length >= LEAST_WORDS).map((part) => ({ speaker, text: part, words: contentOf(part) }))
}

function contentOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}\p{M}'’-]+/gu) ?? []
  return words.filter((word) => word.length > 2 && !COMMON.has(word.replaceAll('’', "'")))
}

/** The number of sentences that contain each word. */
function weigh(sentences: readonly Sentence[]): ReadonlyMap<string, number> {
  const weights = new Map<string, number>()
  for (const { words } of sentences) for (const word of new Set(words)) weights.set(word, (weights.get(word) ?? 0) + 1)
  return weights
}

/** Dividing by the square root of the length favours neither long nor short sentences. */
function scoreOf({ words }: Sentence, weights: ReadonlyMap<string, number>): number {
  const sum = [...new Set(words)].reduce((total, word) => total + Math.log2(weights.get(word) ?? 1), 0)
  return sum / Math.sqrt(words.length)
}

function similarity(one: Sentence, other: Sentence): number {
  const [ours, theirs] = [new Set(one.words), new Set(other.words)]
  const common = [...ours].filter((word) => theirs.has(word)).length
  return common / (ours.size + theirs.size - common)
}
