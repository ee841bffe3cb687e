/// <reference lib="dom" />
// The call on the screen of both clients: tiles, footer and panels, updated from server messages.
import type { CaptionBody, ChatBody } from '../site/wire.ts'
import type { CallView } from './call-view.ts'
import type { Attendee, Client } from './client.ts'
import { Footer } from './footer.ts'
import { Panels } from './panels.ts'

export type RoomOptions = {
  readonly view: CallView
  readonly client: () => Client
  readonly joinAudio: () => Promise<void>
  readonly leave: () => void
}

export class Room {
  readonly #options: RoomOptions
  readonly #panels: Panels
  #footer: Footer | null = null

  constructor(options: RoomOptions) {
    this.#options = options
    const { view, client } = options
    const write = (text: string) => client().send({ cmd: 'chat', text, receiverId: 0 })
    this.#panels = new Panels({ words: view.words, ownId: () => client().userId, write })
  }

  /** `name`: of a breakout room. */
  show(name: string | null = null): void {
    const { view, client, joinAudio, leave } = this.#options
    const footer = new Footer({
      words: view.words,
      devices: client().devices,
      panels: this.#panels,
      joinAudio,
      leave,
      showCaptions: () => this.#showCaptions(),
      isInRoom: name !== null,
    })
    this.#footer = footer
    view.showCall(footer.element, this.#panels.participants, this.#panels.chat, this.#panels.captions)
  }

  startAudio(start: 'automatic' | 'button'): void {
    if (start === 'automatic') void this.#footer?.joinAudio()
    else this.#footer?.offerAudio()
  }

  #showCaptions(): void {
    const { view, client } = this.#options
    const { captionLanguage, save, transcribed, ok } = view.words
    const show = () => this.#panels.showCaptions()
    if (!client().info.options.captionDialogs) return void show()
    const inform = () => view.dialog(transcribed, '', [{ control: 'transcribed-ok', text: ok, press: show }])
    view.dialog(captionLanguage, '', [{ control: 'caption-language-save', text: save, press: inform }])
  }

  onRoster(change: 'add' | 'update' | 'remove', { id, name }: Attendee): void {
    if (change === 'remove') this.#options.view.removePerson(id)
    else this.#options.view.putPerson(id, name)
    this.#panels.list([...this.#options.client().attendees.values()])
  }

  onSpeakers(userIds: readonly number[]): void {
    this.#options.view.setSpeakers(userIds)
  }

  onChat(message: ChatBody): void {
    this.#panels.receive(message)
  }

  onCaption(caption: CaptionBody): void {
    this.#panels.caption(caption)
  }
}
