/// <reference lib="dom" />
// Draws into `#zmmtg-root`: the waiting room, the call with tiles and footer, and dialogs over both.
import type { StreamNote } from '../call/streams.ts'
import type { Words } from '../site/words.ts'
import { button, make } from './make.ts'

export type DialogButton = { readonly control: string; readonly text: string; readonly press?: () => void; readonly id?: string }

/** The heading and its box have the same class. */
const TITLE = { class: 'zm-modal-body-title' }

export class CallView {
  readonly words: Words
  readonly #app = make('div', { class: 'meeting-app' })
  readonly #lobby = make('div', { class: 'wr-main-content', hidden: true })
  readonly #stage = make('div', { id: 'video-share-layout', class: 'speaker-view' })
  readonly #tiles = new Map<number, HTMLElement>()
  readonly #shares = new Map<number, HTMLElement>()
  #speakers: readonly number[] = []

  constructor(words: Words, root: HTMLElement) {
    this.words = words
    root.replaceChildren(this.#app, this.#lobby)
  }

  /** The app is there behind the waiting room, hidden. */
  showWaiting(topic: string, texts: readonly string[], leave: () => void): void {
    const tips = texts.map((text) => make('div', { class: 'wr-tip' }, text))
    const leaving = button('leave-waiting', this.words.leave, leave, { class: 'leave-btn' })
    this.#draw(this.#stage)
    this.#lobby.replaceChildren(make('div', { class: 'wr-topic' }, topic), ...tips, leaving)
    this.#app.toggleAttribute('hidden', true)
    this.#lobby.toggleAttribute('hidden', false)
  }

  /** While joining, the client already has an empty player. */
  showJoining(): void {
    const empty = make('div', { id: 'video-share-layout' }, make('video-player'))
    this.#draw(make('div', { class: 'loading-layer', role: 'alert' }, this.words.joining), empty)
  }

  showCall(footer: HTMLElement, ...panels: HTMLElement[]): void {
    this.#draw(this.#stage, ...panels, footer)
  }

  showText(...lines: readonly string[]): void {
    this.#draw(make('div', { class: 'error-content' }, ...lines.map((line) => make('div', {}, line))))
  }

  show(...elements: readonly HTMLElement[]): void {
    this.#draw(...elements)
  }

  putPerson(userId: number, name: string): void {
    const known = this.#tiles.get(userId)
    const tile = known ?? this.#newTile(userId)
    const label = tile.querySelector('.video-avatar__avatar-footer span')
    if (label) label.textContent = name
    this.#tiles.set(userId, tile)
    if (!known) this.#stage.append(tile)
    this.setSpeakers(this.#speakers)
  }

  removePerson(userId: number): void {
    this.#tiles.get(userId)?.remove()
    this.#tiles.delete(userId)
    this.setSpeakers(this.#speakers)
  }

  clearPeople(): void {
    for (const userId of [...this.#tiles.keys()]) this.removePerson(userId)
  }

  /** The first speaker has the large frame. A single participant has a frame of another class. */
  setSpeakers(userIds: readonly number[]): void {
    this.#speakers = userIds
    const isAlone = this.#tiles.size === 1
    for (const [userId, tile] of this.#tiles) {
      const others = userId === userIds[0] ? 'speaker-active-container__video-frame' : 'speaker-bar-container__video-frame'
      tile.className = isAlone ? 'single-main-container__video-frame' : others
      tile.classList.toggle('speaker-bar-container__video-frame--active', userIds.includes(userId))
    }
  }

  putPicture({ kind, rawId, userId }: StreamNote, element: HTMLElement): void {
    if (kind === 'camera') return void this.#tiles.get(userId)?.querySelector('video-player')?.replaceChildren(element)
    const share = make('div', { class: 'sharee-container' }, make('video-player', { 'node-id': String(rawId) }, element))
    this.#shares.get(rawId)?.remove()
    this.#shares.set(rawId, share)
    this.#stage.prepend(share)
  }

  removePicture({ kind, rawId, userId }: StreamNote): void {
    if (kind === 'camera') return void this.#tiles.get(userId)?.querySelector('video-player')?.replaceChildren()
    this.#shares.get(rawId)?.remove()
    this.#shares.delete(rawId)
  }

  /** Dialogs are siblings of the root. */
  dialog(title: string, content: string, buttons: readonly DialogButton[]): HTMLElement {
    const footer = make('div', { class: 'zm-modal-footer' })
    const body = make('div', { class: 'zm-modal-body' }, make('div', TITLE, make('h2', TITLE, title)))
    if (content) body.append(make('div', { class: 'zm-modal-body-content' }, content))
    const modal = make('div', { class: 'zm-modal zm-modal-legacy', role: 'dialog' }, body, footer)
    for (const [at, { control, text, press, id }] of buttons.entries()) {
      const attributes = { class: `zm-btn zm-btn-legacy ${at === 0 ? 'zm-btn--primary' : 'zm-btn--default'}`, ...(id ? { id } : {}) }
      const pressed = () => {
        modal.remove()
        press?.()
      }
      footer.append(button(control, text, pressed, attributes))
    }
    document.body.append(make('div', { class: 'ReactModal__Content' }, modal))
    return modal
  }

  closeDialogs(): void {
    for (const dialog of document.querySelectorAll('.ReactModal__Content')) dialog.remove()
  }

  #draw(...elements: readonly HTMLElement[]): void {
    this.#app.replaceChildren(...elements)
    this.#app.toggleAttribute('hidden', false)
    this.#lobby.toggleAttribute('hidden', true)
  }

  #newTile(userId: number): HTMLElement {
    const footer = make('div', { class: 'video-avatar__avatar-footer' }, make('span'))
    const player = make('video-player', { 'node-id': String(userId), 'media-type': 'video' })
    return make('div', { class: 'speaker-bar-container__video-frame' }, player, make('div', { class: 'video-avatar__avatar' }, footer))
  }
}
