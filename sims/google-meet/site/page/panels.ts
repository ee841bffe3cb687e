/// <reference lib="dom" />
// The side panel: the list of people or the chat.
import { fill, scenario, texts } from './boot.ts'
import { icon, make, pressable } from './dom.ts'
import type { Roster, User } from './roster.ts'
import { sendChat } from './server.ts'

export type PanelName = 'people' | 'chat'
const LONGEST_LINE = 500

export class Panels {
  readonly element = make('aside', { class: 'panel', 'aria-label': texts.sidePanel, hidden: true })
  readonly #roster: Roster
  readonly #list = make('div', { class: 'panel-list' })
  #open: PanelName | null = null
  #composer: HTMLElement | null = null

  constructor(roster: Roster) {
    this.#roster = roster
  }

  toggle(panel: PanelName): void {
    this.#open = this.#open === panel ? null : panel
    this.element.hidden = this.#open === null
    // Once the chat was open, its composer stays in the document.
    if (this.#open === 'chat') this.#composer ??= createComposer()
    this.element.replaceChildren(...this.#content(), ...(this.#composer ? [this.#composer] : []))
    if (this.#composer) this.#composer.hidden = this.#open !== 'chat'
    this.draw()
  }

  draw(): void {
    const users = this.#open === 'people' ? [...this.#roster.people(), ...this.#roster.presentations()] : []
    if (users.length > 0) this.#list.replaceChildren(...users.map((user) => this.#row(user)))
    // Lines are only appended, so that references to earlier ones stay valid.
    const lines = this.#open === 'chat' ? this.#roster.lines.slice(this.#list.childElementCount) : []
    for (const { id, deviceId, text, atMs } of lines) {
      const sender = make('div', { class: 'message-sender' }, this.#roster.nameOf(deviceId))
      const time = make(
        'div',
        { class: 'message-time' },
        new Date(atMs).toLocaleTimeString('en-US', { hour: 'numeric', minute: '2-digit' }),
      )
      this.#list.append(
        make('div', { class: 'message', 'data-message-id': id }, sender, time, make('div', { class: 'message-text' }, text)),
      )
    }
  }

  #content(): HTMLElement[] {
    const open = this.#open
    if (!open) return []
    const close = pressable(
      { control: 'close_panel', attributes: { class: 'round small', 'aria-label': texts.close }, press: () => this.toggle(open) },
      icon('close'),
    )
    this.#list.replaceChildren()
    this.#list.setAttribute('role', open === 'people' ? 'list' : 'log')
    this.#list.setAttribute('aria-label', open === 'people' ? texts.participants : texts.messages)
    const heading = make('h2', {}, open === 'people' ? texts.people : texts.messages)
    return [make('div', { class: 'panel-head' }, heading, close), this.#list]
  }

  #row({ deviceId, name, isSelf, isHost, parentDeviceId }: User): HTMLElement {
    const isPresentation = parentDeviceId !== null
    const notes = [...(isSelf ? [texts.you] : []), ...(isHost ? [texts.host] : []), ...(isPresentation ? [texts.presentation] : [])]
    const room = this.#roster.roomOf(deviceId)
    if (room !== null) notes.push(texts.merged)
    const isMuted = this.#roster.output('audio', deviceId)?.disabled ?? true
    const attributes = { class: 'round small', 'aria-label': fill(texts.mute, { name }), disabled: isMuted }
    return make(
      'div',
      {
        class: 'person',
        role: 'listitem',
        'aria-label': name,
        'data-participant-id': deviceId,
        ...(room !== null && { 'data-cohort-id': room }),
      },
      make('span', { class: 'notranslate' }, name),
      ...notes.map((note) => make('span', { class: 'person-note' }, note)),
      icon('devices'),
      pressable({ control: 'mute_other', attributes, press: () => undefined }, icon(isMuted ? 'mic_off' : 'mic')),
    )
  }
}

/** A text area, or since April 2026 a contenteditable inside the labelled element. */
function createComposer(): HTMLElement {
  const label = { 'aria-label': texts.sendMessage }
  const area = make('textarea', { class: 'composer-text', ...label, placeholder: texts.send, maxlength: String(LONGEST_LINE), rows: '1' })
  const editable = make('div', { class: 'composer-text', contenteditable: 'true', role: 'textbox', 'aria-multiline': 'true' })
  const isArea = scenario.composer === 'textarea'
  const field: HTMLElement = isArea ? area : editable
  const send = () => {
    const text = (isArea ? area.value : editable.innerText).trim().slice(0, LONGEST_LINE)
    if (text === '') return
    area.value = ''
    editable.replaceChildren()
    void sendChat(text)
  }
  field.addEventListener('keydown', (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey) return
    event.preventDefault()
    send()
  })
  const button = pressable({ control: 'send', attributes: { class: 'round small', 'aria-label': texts.send }, press: send }, icon('send'))
  return make('div', { class: 'composer' }, isArea ? area : make('div', { class: 'composer-box', ...label }, editable), button)
}
