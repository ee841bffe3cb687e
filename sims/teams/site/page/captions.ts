/// <reference lib="dom" />
// Live captions: on or off, their language, and the region that appears at the first speech.
import { make } from './make.ts'
import type { Roster } from './roster.ts'

type Result = { readonly id: string; readonly userId: string; readonly text: string; readonly isFinal: boolean }

const SPOKEN = 'en-us'
const MOST_LINES = 20

export class Captions {
  readonly element = make('div', { class: 'captions' })
  readonly #roster: Roster
  readonly #onChange: () => void
  readonly #lines = new Map<string, Result>()
  #isOn = false
  #language = SPOKEN

  constructor(roster: Roster, onChange: () => void) {
    this.#roster = roster
    this.#onChange = onChange
  }

  get isOn(): boolean {
    return this.#isOn
  }

  /** The menu items of captions, whether they are on or off. */
  get language(): string {
    return this.#language
  }

  turn(on: boolean): void {
    this.#isOn = on
    if (!on) this.#lines.clear()
    this.draw()
    this.#onChange()
  }

  setLanguage(language: string): void {
    this.#language = language
    this.#onChange()
  }

  /** Sets the spoken language of the meeting, as far as the service knows it. */
  resetLanguage(): void {
    this.setLanguage(SPOKEN)
  }

  add(results: readonly Result[]): void {
    for (const result of results) this.#lines.set(result.id, result)
    for (const id of [...this.#lines.keys()].slice(0, -MOST_LINES)) this.#lines.delete(id)
    this.draw()
  }

  draw(): void {
    if (!this.#isOn || this.#lines.size === 0) return void this.element.replaceChildren()
    const lines = [...this.#lines.values()].map(({ userId, text }) =>
      make(
        'div',
        { class: 'fui-ChatMessageCompact' },
        make('span', { 'data-tid': 'author' }, this.#roster.nameOf(userId)),
        make('span', { 'data-tid': 'closed-caption-text' }, text),
      ),
    )
    const list = make('div', { 'data-tid': 'closed-caption-v2-virtual-list-content' }, ...lines)
    this.element.replaceChildren(make('div', { 'data-tid': 'closed-caption-renderer-wrapper' }, list))
  }
}
