/// <reference lib="dom" />
// Captions: their button, their language, and the region that shows them.
import { texts } from './boot.ts'
import { icon, make, pressable } from './dom.ts'
import type { Roster } from './roster.ts'

export class Captions {
  readonly region = make('div', { class: 'captions', role: 'region', tabindex: '0', 'aria-label': texts.captions, hidden: true })
  readonly button: HTMLElement
  readonly #roster: Roster
  readonly #onChange: () => void
  #isOn = false
  #language = 'en-US'

  constructor(roster: Roster, onChange: () => void) {
    this.#roster = roster
    this.#onChange = onChange
    this.button = pressable({ control: 'captions', attributes: { class: 'round', jsname: 'r8qRAd' }, press: () => this.toggle() })
    this.#show()
  }

  /** Null while they are off. */
  get language(): string | null {
    return this.#isOn ? this.#language : null
  }

  toggle(): void {
    this.#isOn = !this.#isOn
    this.#show()
    this.#onChange()
  }

  speak(language: string): void {
    this.#language = language
    this.#onChange()
  }

  draw(): void {
    if (!this.#isOn) return
    const blocks = this.#roster.captions().map(({ deviceId, text }) => {
      const speaker = make('div', { class: 'caption-speaker' }, make('span', { class: 'notranslate' }, this.#roster.nameOf(deviceId)))
      return make('div', { class: 'caption' }, speaker, make('div', { class: 'caption-text' }, text))
    })
    this.region.replaceChildren(...blocks)
  }

  #show(): void {
    this.button.setAttribute('aria-label', this.#isOn ? texts.captionsOff : texts.captionsOn)
    this.button.setAttribute('aria-pressed', String(this.#isOn))
    this.button.replaceChildren(icon(this.#isOn ? 'closed_caption' : 'closed_caption_off'))
    this.region.hidden = !this.#isOn
    this.draw()
  }
}
