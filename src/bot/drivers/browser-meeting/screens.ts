// Recognises the screen from a snapshot of the page. Pure.
import { type Facts, hostOf, isEmpty, pathOf } from './facts.ts'
import type { Condition, PageRules, Screen, ScreenRule, Sentences, Stage } from './page-rules.ts'

type ScreenRules = Pick<PageRules, 'screens' | 'sentences'>

export function screenOf(facts: Facts, pageRules: ScreenRules, stage: Stage): Screen {
  return ruleOf(facts, pageRules, stage)?.screen ?? 'unknown'
}

/** The first rule that holds. */
export function ruleOf(facts: Facts, { screens, sentences }: ScreenRules, stage: Stage): ScreenRule | undefined {
  return screens[stage].find(({ when }) => holds(when, facts, sentences))
}

/** The page shows that the bot is in a breakout room. */
export function isInRoom(facts: Facts, { rooms, sentences }: Pick<PageRules, 'rooms' | 'sentences'>): boolean {
  return rooms !== undefined && holds(rooms.inside, facts, sentences)
}

function holds(condition: Condition, facts: Facts, sentences: PageRules['sentences']): boolean {
  const follow = (it: Condition) => holds(it, facts, sentences)
  if ('all' in condition) return condition.all.every(follow)
  if ('any' in condition) return condition.any.some(follow)
  if ('not' in condition) return !follow(condition.not)
  if ('sentences' in condition) return condition.sentences.some((name) => isSaid(sentences[name], facts.text))
  if ('host' in condition) return condition.host.includes(hostOf(facts.url))
  if ('path' in condition) return condition.path.some((path) => `${pathOf(facts.url)}/`.startsWith(`${path}/`))
  if ('visible' in condition) return condition.visible.some((name) => facts.visible.has(name))
  if ('present' in condition) return condition.present.some((name) => facts.present.has(name))
  if ('people' in condition) return facts.people.length > 0
  if ('captcha' in condition) return facts.captcha
  return isEmpty(facts)
}

function isSaid(wanted: Sentences | undefined, text: string): boolean {
  if (!wanted) return false
  const lines = text.split('\n').map((line) => line.replace(/[.…! ]+$/, ''))
  return (
    wanted.says.some((sentence) => text.includes(sentence)) ||
    (wanted.lines ?? []).some((whole) => lines.some((line) => isLine(line, whole)))
  )
}

function isLine(line: string, whole: string): boolean {
  return whole.endsWith('*') ? line.startsWith(whole.slice(0, -1)) : line === whole
}

/** A guest has no credentials that could have changed: platforms show guests the same sentence as a refusal. */
export function screenFor(screen: Screen, isGuest: boolean): Screen {
  return isGuest && screen === 'signed_out' ? 'refused' : screen
}
