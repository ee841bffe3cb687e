/// <reference lib="dom" />
// Participants, chat and captions beside the call.
import type { CaptionBody, ChatBody } from '../site/wire.ts'
import type { Words } from '../site/words.ts'
import type { Attendee } from './client.ts'
import { button, make } from './make.ts'

const LONGEST_MESSAGE = 1_024

export type PanelsOptions = {
  readonly words: Words
  readonly ownId: () => number
  readonly write: (text: string) => void
}

export class Panels {
  readonly participants = make('div', { class: 'participants-section-container', hidden: true })
  readonly chat = make('div', { class: 'chat-container', hidden: true })
  readonly captions = make('div', { id: 'live-transcription-subtitle', hidden: true })
  readonly participantsButton: HTMLElement
  readonly chatButton: HTMLElement
  readonly #options: PanelsOptions
  readonly #list = make('div', { class: 'participants-ul' })
  readonly #counter = make('span', { class: 'footer-button__number-counter' })
  readonly #messages: HTMLElement
  #count = 0

  constructor(options: PanelsOptions) {
    this.#options = options
    const { words } = options
    this.participantsButton = button('participants', words.participants, () => this.#toggle(this.participants), {
      class: 'footer-button-base__button',
    })
    this.participantsButton.append(this.#counter)
    this.chatButton = button('chat', words.chat, () => this.#toggle(this.chat), { class: 'footer-button-base__button' })
    this.#messages = make('div', { id: 'chat-list-content', role: 'list', 'aria-label': 'Chat Message List' })
    this.participants.append(this.#list)
    this.chat.append(this.#messages, ...this.#editor())
    this.#label()
  }

  showCaptions(): void {
    this.captions.toggleAttribute('hidden', false)
  }

  list(attendees: readonly Attendee[]): void {
    const { words, ownId } = this.#options
    const rows = attendees.map(({ id, name, bHost, bGuest }, at) => {
      const tags = [...(bHost ? [words.host] : []), ...(id === ownId() ? [words.me] : []), ...(bGuest ? [words.guest] : [])]
      const displayName = make('span', { class: 'participants-item__display-name' }, name)
      const labels = tags.map((tag) => make('span', { class: 'participants-item__name-label' }, `(${tag})`))
      return make('div', { class: 'participants-li', id: `participants-list-${at}` }, displayName, ...labels)
    })
    this.#list.replaceChildren(...rows)
    this.#count = attendees.length
    this.#label()
  }

  receive({ senderId, senderName, text }: ChatBody): void {
    const sender = make('span', { class: 'chat-item__sender', 'data-userid': String(senderId), 'data-name': senderName }, senderName)
    const content = make('div', { class: 'chat-rtf-box__display' }, text)
    this.#messages.append(make('div', { class: 'new-chat-message__container', role: 'listitem' }, sender, content))
  }

  caption({ msgId, text }: CaptionBody): void {
    const known = [...this.captions.children].find((it) => it.getAttribute('data-id') === msgId)
    const line = known ?? make('span', { class: 'live-transcription-subtitle__item', 'data-id': msgId })
    line.textContent = text
    if (!known) this.captions.replaceChildren(line)
  }

  /** The misspelling is the real one. */
  #label(): void {
    const label = `the participants list pane,[${this.#count}] particpants`
    this.participantsButton.setAttribute('aria-label', `${this.participants.hidden ? 'open' : 'close'} ${label}`)
    this.#counter.textContent = String(this.#count)
    const { openChat, closeChat } = this.#options.words
    this.chatButton.setAttribute('aria-label', this.chat.hidden ? openChat : closeChat)
  }

  #toggle(panel: HTMLElement): void {
    panel.toggleAttribute('hidden')
    this.#label()
  }

  #editor(): HTMLElement[] {
    const editor = make('div', { class: 'tiptap ProseMirror', contenteditable: 'true', role: 'textbox' })
    const send = () => {
      const text = editor.innerText.trim().slice(0, LONGEST_MESSAGE)
      if (text) this.#options.write(text)
      editor.replaceChildren()
    }
    editor.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || event.shiftKey) return
      event.preventDefault()
      send()
    })
    const outer = make('div', { class: 'chat-rtf-box__editor-outer' }, editor)
    return [outer, button('chat-send', this.#options.words.send, send, { 'aria-label': 'send' })]
  }
}
