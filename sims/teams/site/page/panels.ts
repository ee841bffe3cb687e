/// <reference lib="dom" />
// The side panel: the chat or the list of people.
import { texts } from './boot.ts'
import type { ChatMessage } from './chat-port.ts'
import { make, mutedIcon } from './make.ts'
import { button } from './press.ts'
import { isMuted, type Participant, type Roster, suffixOf } from './roster.ts'
import { sendMessage } from './server.ts'

export type PanelName = 'chat' | 'people'

export class Panels {
  readonly element = make('aside', { class: 'panel', hidden: true })
  readonly #roster: Roster
  readonly #messages = make('div', { class: 'messages', role: 'log' })
  readonly #people = make('div', { role: 'tree', 'aria-label': texts.attendees })
  #open: PanelName | null = null

  constructor(roster: Roster) {
    this.#roster = roster
  }

  toggle(panel: PanelName): void {
    this.#open = this.#open === panel ? null : panel
    this.element.hidden = this.#open === null
    if (this.#open === null) return void this.element.replaceChildren()
    const close = button('close_panel', texts.close, () => this.toggle(panel), { 'aria-label': texts.close, title: texts.close })
    const content = this.#open === 'chat' ? [this.#messages, createComposer()] : [this.#people]
    this.element.replaceChildren(make('h2', {}, texts[panel]), close, ...content)
    this.draw()
  }

  draw(): void {
    if (this.#open === 'people') this.#people.replaceChildren(...this.#roster.people().map(createRow))
  }

  add({ imDisplayName, content, originalArrivalTime }: ChatMessage): void {
    const body = make('div', { 'data-tid': 'messageBodyContent' })
    body.append(...new DOMParser().parseFromString(content, 'text/html').body.childNodes)
    this.#messages.append(
      make(
        'div',
        { 'data-tid': 'chat-pane-item' },
        make(
          'div',
          { 'data-tid': 'chat-pane-message' },
          make('span', { 'data-tid': 'message-author-name' }, imDisplayName),
          make('time', { datetime: originalArrivalTime }, new Date(originalArrivalTime).toLocaleTimeString()),
          body,
        ),
      ),
    )
  }
}

function createRow(participant: Participant): HTMLElement {
  const name = participant.displayName + suffixOf(participant)
  const label = [name, texts.roles[participant.meetingRole], isMuted(participant) ? texts.muted : texts.unmuted].join(', ')
  return make(
    'div',
    {
      role: 'treeitem',
      'data-cid': 'roster-participant',
      'data-tid': `participantsInCall-${participant.displayName}`,
      'aria-label': label,
    },
    make('span', { title: name }, name),
    ...(isMuted(participant) ? [mutedIcon()] : []),
  )
}

/** A rich text editor in which Enter sends. */
function createComposer(): HTMLElement {
  const attributes = { 'aria-label': texts.typeMessage, placeholder: texts.typeMessage, 'data-tid': 'ckeditor' }
  const editor = make('div', { class: 'editor', contenteditable: 'true', role: 'textbox', 'aria-multiline': 'true', ...attributes })
  editor.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey) return
    event.preventDefault()
    const text = editor.innerText.trim()
    if (text === '') return
    editor.replaceChildren()
    const paragraphs = text.split('\n').map((line) => make('p', {}, line).outerHTML)
    void sendMessage(paragraphs.join(''))
  })
  return editor
}
