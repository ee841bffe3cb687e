/// <reference lib="dom" />
// Takes a snapshot of the page for recognising its screen.
import type { PageRules, PeopleRules } from '../page-rules.ts'
import { bareName } from './bare-name.ts'
import { Finder, isVisible, plainly } from './find.ts'

export type LookRules = Pick<PageRules, 'controls' | 'never' | 'people' | 'talk' | 'frame' | 'rooms'>

const LONGEST_TEXT = 20_000
/** Smaller ones are counters. */
const PUZZLE = { width: 120, height: 40 }
/** The badge of a captcha that asks nothing is as large as a question. */
const QUESTION = 'iframe[src*="captcha"]:not([src*="size=invisible"]):not(.grecaptcha-badge *)'

/** `isNested`: with the text of shadow roots. */
export function look(rules: LookRules, isNested: boolean): object {
  const finder = new Finder(rules.never)
  const found = Object.entries(rules.controls).map(([name, signals]) => ({ name, it: finder.find(signals) }))
  const typedIn = (control: string): string => {
    const field = found.find(({ name }) => name === control)?.it?.element
    return field instanceof HTMLInputElement ? field.value : ''
  }
  return {
    text: ownWords(rules.talk.join()),
    shadow: isNested ? shadowWords(document) : '',
    visible: found.filter(({ it }) => it?.visible).map(({ name }) => name),
    present: found.filter(({ it }) => it).map(({ name }) => name),
    typed: typedIn('nameField'),
    typedPasscode: typedIn('passcodeField'),
    captcha: hasPuzzle(),
    people: peopleIn(rules.people),
    room: rules.rooms?.name ? (document.querySelector(rules.rooms.name)?.textContent ?? '') : '',
  }
}

/** The page's own text, without that of participants. */
function ownWords(talk: string): string {
  let text = document.body?.innerText ?? ''
  for (const it of document.querySelectorAll<HTMLElement>(talk)) {
    const said = it.innerText
    if (said) text = text.replace(said, () => '\n')
  }
  return text.slice(0, LONGEST_TEXT)
}

/** The text of open shadow roots, which `innerText` leaves out. */
function shadowWords(root: ParentNode): string {
  const hosts = [...root.querySelectorAll('*')].flatMap(({ shadowRoot }) => shadowRoot ?? [])
  const texts = hosts.flatMap((it) => [...[...it.children].filter(isVisible).map(wordsIn), shadowWords(it)])
  return texts.map((text) => `\n${text}`).join('')
}

function wordsIn(element: Element): string {
  return element instanceof HTMLElement ? element.innerText : ''
}

function hasPuzzle(): boolean {
  return [...document.querySelectorAll(QUESTION)].some((frame) => {
    const { width, height } = frame.getBoundingClientRect()
    return width >= PUZZLE.width && height >= PUZZLE.height && isVisible(frame)
  })
}

function peopleIn(rules: PeopleRules): readonly object[] {
  const people = new Map<string, { id: string; name: string; isSelf: boolean; sources: readonly string[]; room: string }>()
  for (const tile of document.querySelectorAll<HTMLElement>(rules.tile)) {
    const id = bareName(rules.ids.map((name) => tile.getAttribute(name)).find(Boolean) ?? '', rules)
    const words = plainly(`${tile.getAttribute('aria-label') ?? ''} ${tile.textContent ?? ''}`)
    if (id === '' || rules.phantoms.some((it) => words.startsWith(it))) continue
    const known = people.get(id)
    const name = known?.name || nameIn(tile, rules)
    const isSelf = known?.isSelf || tile.querySelector('[data-self-name]') !== null || rules.self.some((it) => words.includes(it))
    const sources = [...(known?.sources ?? []), ...sourcesIn(tile, rules)]
    people.set(id, { id, name, isSelf, sources, room: known?.room || roomOf(tile, rules) })
  }
  return [...people.values()]
}

function roomOf(tile: HTMLElement, { room }: PeopleRules): string {
  return room ? (tile.closest(`[${room}]`)?.getAttribute(room) ?? '') : ''
}

function sourcesIn(tile: HTMLElement, { source }: PeopleRules): readonly string[] {
  if (!source) return []
  return [...tile.querySelectorAll(`[${source}]`)].map((it) => it.getAttribute(source) ?? '').filter((it) => /^\d+$/.test(it))
}

function nameIn(tile: HTMLElement, rules: PeopleRules): string {
  const { name, noNames } = rules
  const labels = [
    ...[...tile.querySelectorAll<HTMLElement>(name)].flatMap((it) => [it.textContent, it.getAttribute('data-self-name')]),
    tile.getAttribute('aria-label'),
  ]
  const isName = (label: string) => label !== '' && !noNames.includes(label) && !label.startsWith('spaces/')
  return labels.map((label) => bareName((label ?? '').trim(), rules)).find(isName) ?? ''
}
