/// <reference lib="dom" />
// The preview: name, passcode, devices and Join.
import { type Attributes, button, make } from '../make.ts'
import { boot, root } from './boot.ts'

export type Ready = { readonly name: string; readonly passcode: string; readonly isMuted: boolean; readonly hasVideo: boolean }

const NAME_IDS = { react: 'input-for-name', classic: 'inputname' } as const

export class Preview {
  readonly #onJoin: (ready: Ready) => void
  readonly #name: HTMLInputElement
  #passcode: HTMLInputElement | null
  readonly #join: HTMLElement
  readonly #error = make('div', { class: 'preview-error', role: 'alert' })
  #isMuted = false
  #hasVideo = true
  #hasTyped = false

  constructor(onJoin: (ready: Ready) => void) {
    this.#onJoin = onJoin
    const { words, web, needsPasscode, passcode } = boot
    this.#name = input(NAME_IDS[web.client], 'text', words.yourName)
    this.#passcode = needsPasscode && !passcode ? passcodeInput() : null
    this.#name.addEventListener('input', ({ isTrusted }) => this.#onTyped(isTrusted))
    const attributes: Attributes =
      web.client === 'classic' ? { id: 'joinBtn' } : { class: 'preview-join-button zm-btn disabled', disabled: true }
    this.#join = button('join', words.join, () => this.#press(), attributes)
  }

  show(error = ''): void {
    this.#error.textContent = error
    const info = make('div', { class: 'preview-meeting-info' })
    const controls = make('div', { class: 'preview-controls' }, this.#microphone(), this.#camera())
    const fields = [this.#name, ...(this.#passcode ? [this.#passcode] : [])]
    root.replaceChildren(make('div', { class: 'preview' }, this.#error, ...fields, controls, this.#join, info))
  }

  /** Asks for the passcode too, after a link with a wrong one. */
  refuse(error: string): void {
    this.#passcode ??= passcodeInput()
    this.show(error)
  }

  /** Only text typed by a device or a debugger enables the button. */
  #onTyped(isTrusted: boolean): void {
    this.#hasTyped ||= isTrusted
    const isReady = this.#hasTyped && this.#name.value !== ''
    this.#join.classList.toggle('disabled', !isReady)
    this.#join.toggleAttribute('disabled', !isReady)
  }

  #press(): void {
    const passcode = this.#passcode?.value ?? boot.passcode
    this.#onJoin({ name: this.#name.value, passcode, isMuted: this.#isMuted, hasVideo: this.#hasVideo })
  }

  #microphone(): HTMLElement {
    const { mute, unmute } = boot.words
    const control = button(
      'preview-audio',
      mute,
      () => {
        this.#isMuted = !this.#isMuted
        label()
      },
      { id: 'preview-audio-control-button' },
    )
    const label = () => setLabel(control, this.#isMuted ? unmute : mute)
    label()
    return control
  }

  #camera(): HTMLElement {
    const { startVideo, stopVideo } = boot.words
    const control = button(
      'preview-video',
      stopVideo,
      () => {
        this.#hasVideo = !this.#hasVideo
        label()
      },
      { id: 'preview-video-control-button' },
    )
    const label = () => setLabel(control, this.#hasVideo ? stopVideo : startVideo)
    label()
    return control
  }
}

function input(id: string, type: string, placeholder: string): HTMLInputElement {
  return make('input', { id, type, placeholder, maxlength: '64' }) as HTMLInputElement
}

function passcodeInput(): HTMLInputElement {
  return input('input-for-pwd', 'password', boot.words.meetingPasscode)
}

function setLabel(element: HTMLElement, label: string): void {
  element.setAttribute('aria-label', label)
  element.textContent = label
}
