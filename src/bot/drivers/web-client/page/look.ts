/// <reference lib="dom" />
// Takes a snapshot of the page for recognising its screen.
import type { PeopleTable, PlatformTables } from '../tables.ts'
import { Finder, isVisible, plainly } from './find.ts'

export type LookTable = Pick<PlatformTables, 'controls' | 'never' | 'people' | 'talk' | 'frame'>

const LONGEST_TEXT = 20_000
/** Smaller ones are the badge, or the invisible captcha of every page. */
const PUZZLE = { width: 120, height: 40 }

export function look(table: LookTable): object {
  const finder = new Finder(table.never)
  const found = Object.entries(table.controls).map(([name, signals]) => ({ name, it: finder.find(signals) }))
  const typedIn = (control: string): string => {
    const field = found.find(({ name }) => name === control)?.it?.element
    return field instanceof HTMLInputElement ? field.value : ''
  }
  return {
    text: ownWords(table.talk.join()),
    visible: found.filter(({ it }) => it?.visible).map(({ name }) => name),
    present: found.filter(({ it }) => it).map(({ name }) => name),
    typed: typedIn('nameField'),
    typedPasscode: typedIn('passcodeField'),
    captcha: hasPuzzle(),
    people: peopleIn(table.people),
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

function hasPuzzle(): boolean {
  return [...document.querySelectorAll('iframe[src*="recaptcha"], iframe[src*="captcha"]')].some((frame) => {
    const { width, height } = frame.getBoundingClientRect()
    return width >= PUZZLE.width && height >= PUZZLE.height && isVisible(frame)
  })
}

function peopleIn(table: PeopleTable): readonly object[] {
  const people = new Map<string, { id: string; name: string; isSelf: boolean }>()
  for (const tile of document.querySelectorAll<HTMLElement>(table.tile)) {
    const id = table.ids.map((name) => tile.getAttribute(name)).find(Boolean) ?? ''
    const words = plainly(`${tile.getAttribute('aria-label') ?? ''} ${tile.textContent ?? ''}`)
    if (id === '' || table.phantoms.some((it) => words.startsWith(it))) continue
    const known = people.get(id)
    const name = known?.name || nameIn(tile, table)
    const isSelf = known?.isSelf || tile.querySelector('[data-self-name]') !== null || table.self.some((it) => words.includes(it))
    people.set(id, { id, name, isSelf })
  }
  return [...people.values()]
}

function nameIn(tile: HTMLElement, { name, noNames }: PeopleTable): string {
  const labels = [
    ...[...tile.querySelectorAll<HTMLElement>(name)].flatMap((it) => [it.textContent, it.getAttribute('data-self-name')]),
    tile.getAttribute('aria-label'),
  ]
  const isName = (label: string) => label !== '' && !noNames.includes(label) && !label.startsWith('spaces/')
  return labels.map((label) => (label ?? '').trim()).find(isName) ?? ''
}
