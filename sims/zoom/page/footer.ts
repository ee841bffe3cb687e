/// <reference lib="dom" />
// The bar below the call: audio, video, participants, chat, more, and the two steps of leaving.
import type { Words } from '../site/words.ts'
import type { Devices } from './devices.ts'
import { button, make } from './make.ts'
import type { Panels } from './panels.ts'

export type FooterOptions = {
  readonly words: Words
  readonly devices: Devices
  readonly panels: Panels
  readonly joinAudio: () => Promise<void>
  readonly leave: () => void
  readonly showCaptions: () => void
  /** Of a breakout room. */
  readonly isInRoom: boolean
}

/** The real labels of these are English in every language. */
const LABELS = {
  mute: 'mute my microphone',
  unmute: 'unmute my microphone',
  startVideo: 'start my video',
  stopVideo: 'stop my video',
  more: 'More meeting control ',
}

export class Footer {
  readonly element = make('div', { id: 'wc-footer' })
  readonly #options: FooterOptions
  readonly #audio: HTMLElement
  readonly #video: HTMLElement
  #hasAudio = false

  constructor(options: FooterOptions) {
    this.#options = options
    const { words, devices, panels } = options
    const base = { class: 'footer-button-base__button' }
    this.#audio = button('audio', words.joinAudio, () => this.#onAudio(), { class: `${base.class} join-audio-container__btn` })
    const turnVideo = () => void devices.turn('camera', !devices.isOn('camera'))
    this.#video = button('video', words.startVideo, turnVideo, { class: `${base.class} send-video-container__btn` })
    const leaving = options.isInRoom ? words.leaveRoom : words.leave
    const leave = button('leave', leaving, () => this.#askToLeave(), { ...base, 'aria-label': leaving })
    this.element.append(
      make('div', { 'footer-section': 'left' }, this.#audio, this.#video),
      make('div', { 'footer-section': 'main' }, panels.participantsButton, panels.chatButton, this.#more()),
      make('div', { 'footer-section': 'right' }, leave),
    )
    devices.onChange(() => this.#update())
    this.#update()
  }

  /** Without it no audio is received. */
  async joinAudio(): Promise<void> {
    this.#hasAudio = true
    this.element.querySelector('.join-dialog')?.remove()
    await this.#options.joinAudio()
    this.#update()
  }

  /** Shows a card with the button above the bar. */
  offerAudio(): void {
    const { joinAudioByComputer } = this.#options.words
    const press = () => void this.joinAudio()
    const join = button('join-audio', joinAudioByComputer, press, { class: 'zm-btn join-audio-by-voip__join-btn' })
    if (!this.element.querySelector('.join-dialog')) this.element.append(make('div', { class: 'join-dialog' }, join))
  }

  #onAudio(): void {
    const { devices } = this.#options
    if (this.#hasAudio) void devices.turn('microphone', !devices.isOn('microphone'))
    else this.offerAudio()
  }

  #update(): void {
    const { words, devices } = this.#options
    const isMuted = !devices.isOn('microphone')
    const label = isMuted ? LABELS.unmute : LABELS.mute
    this.#audio.textContent = !this.#hasAudio ? words.joinAudio : isMuted ? words.unmute : words.mute
    this.#audio.setAttribute('aria-label', this.#hasAudio ? label : words.joinAudio)
    const isFilming = devices.isOn('camera')
    this.#video.textContent = isFilming ? words.stopVideo : words.startVideo
    this.#video.setAttribute('aria-label', isFilming ? LABELS.stopVideo : LABELS.startVideo)
  }

  /** The second button has an empty label, and the Enter key cancels. */
  #askToLeave(): void {
    const { words, leave } = this.#options
    if (this.element.querySelector('.leave-meeting-options')) return
    const options = make('div', { class: 'leave-meeting-options' })
    const confirm = button('leave-confirmed', words.leaveMeeting, leave, {
      class: 'leave-meeting-options__btn leave-meeting-options__btn--danger',
      'aria-label': '',
    })
    options.append(confirm)
    confirm.addEventListener('keydown', ({ key }) => {
      if (key === 'Enter') options.remove()
    })
    this.element.append(options)
  }

  #more(): HTMLElement {
    const { words, showCaptions } = this.#options
    const show = make('a', { 'aria-label': `Your caption settings grouping ${words.showCaptions}`, hidden: true }, words.showCaptions)
    const captions = make('a', { 'aria-label': words.captions, hidden: true }, words.captions)
    const more = make('div', { 'aria-label': LABELS.more, tabindex: '0' }, words.moreControls)
    more.addEventListener('click', () => captions.toggleAttribute('hidden', false))
    captions.addEventListener('click', () => show.toggleAttribute('hidden', false))
    show.addEventListener('click', () => {
      showCaptions()
      for (const item of [show, captions]) item.toggleAttribute('hidden', true)
    })
    return make('div', { class: 'more-button' }, more, captions, show)
  }
}
