// A summary without a model: the sentences that say most of what the others speak about, in the order in which they were said.

/** Times in seconds. */
export type Turn = { readonly speaker: string; readonly text: string; readonly start: number; readonly end: number }

type Sentence = { readonly speaker: string; readonly text: string; readonly words: readonly string[]; readonly place: number }

const LEAST_SENTENCES = 3
const MOST_SENTENCES = 7
/** Shorter ones answer, greet or agree. */
const LEAST_WORDS = 5
/** One that has more words than this in common with a chosen one, of all that the two have, adds nothing. */
const ALIKE = 0.6
/** Said everywhere, about nothing. */
const COMMON = new Set(
  `a about actually after again all also am an and any are as at back be because been before being but by can come could did do does doing
  down even first for from get go going good got had has have he her here him his how i if in into is it its just kind know let like little
  look lot make many maybe me mean more much my no not now of oh ok okay on one only or other our out over people quite really right said
  say see she should so some something sort still such sure take than that the their them then there these they thing things think this
  those through time to too up us very want was way we well were what when where which while who why will with would yeah yes you your`.split(
    /\s+/,
  ),
)

/** At most a few sentences, each with who said it. Empty where nobody said one. */
export function keySentences(turns: readonly Turn[]): readonly { readonly speaker: string; readonly text: string }[] {
  const sentences = turns.flatMap(sentencesOf).map((sentence, place) => ({ ...sentence, place }))
  const weights = weigh(sentences)
  const scored = sentences.filter(({ words }) => words.length > 0).map((sentence) => ({ ...sentence, score: scoreOf(sentence, weights) }))
  // In a short talk no word comes twice; then its first sentences are as good as any.
  const telling = scored.some(({ score }) => score > 0) ? scored.filter(({ score }) => score > 0) : scored
  const best = telling.toSorted((a, b) => b.score - a.score || a.place - b.place)
  const wanted = Math.min(MOST_SENTENCES, Math.max(LEAST_SENTENCES, Math.ceil(sentences.length / 4)))
  const chosen: Sentence[] = []
  for (const sentence of best) {
    if (chosen.length >= wanted) break
    if (chosen.every((other) => likeness(sentence, other) < ALIKE)) chosen.push(sentence)
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

/** How many sentences speak of a word; one that is said once weighs nothing. */
function weigh(sentences: readonly Sentence[]): ReadonlyMap<string, number> {
  const weights = new Map<string, number>()
  for (const { words } of sentences) for (const word of new Set(words)) weights.set(word, (weights.get(word) ?? 0) + 1)
  return weights
}

/** The root of the length keeps long sentences from winning by length alone, and short ones by one word. */
function scoreOf({ words }: Sentence, weights: ReadonlyMap<string, number>): number {
  const sum = [...new Set(words)].reduce((total, word) => total + Math.log2(weights.get(word) ?? 1), 0)
  return sum / Math.sqrt(words.length)
}

function likeness(one: Sentence, other: Sentence): number {
  const [ours, theirs] = [new Set(one.words), new Set(other.words)]
  const common = [...ours].filter((word) => theirs.has(word)).length
  return common / (ours.size + theirs.size - common)
}
