/// <reference lib="dom" />
// The buttons for microphone and camera, before, in the lobby and in the call, and the self view.
import { fill, scenario, texts } from './boot.ts'
import { devices, type Kind } from './devices.ts'
import { icon, make, pressable } from './dom.ts'

const LIGATURES: Readonly<Record<Kind, readonly [on: string, off: string]>> = {
  microphone: ['mic', 'mic_off'],
  camera: ['videocam', 'videocam_off'],
}

export function createToggle(kind: Kind): HTMLElement {
  const element = pressable({
    control: kind,
    tag: scenario.toggles,
    attributes: { class: 'round', jsname: kind === 'microphone' ? 'hw0c9' : 'psRWwc' },
    press: () => void devices.toggle(kind),
  })
  const show = () => {
    const on = devices.isOn(kind)
    const label = on ? texts.turnOff[kind] : texts.turnOn[kind]
    element.setAttribute('aria-label', scenario.shortcuts ? `${label} ${texts.shortcut[kind]}` : label)
    if (scenario.muteAttribute) element.setAttribute('data-is-muted', String(!on))
    const [whenOn, whenOff] = LIGATURES[kind]
    element.replaceChildren(icon(on ? whenOn : whenOff))
  }
  devices.onChange(show)
  show()
  return element
}

/** Ctrl+D and Ctrl+E, wherever the buttons are. */
export function heedShortcuts(): void {
  const keys: Readonly<Record<string, Kind>> = { d: 'microphone', e: 'camera' }
  document.addEventListener('keydown', (event) => {
    const kind = event.ctrlKey && !event.altKey ? keys[event.key] : undefined
    if (!kind) return
    event.preventDefault()
    void devices.toggle(kind)
  })
}

export function createSelfView(): HTMLElement {
  const video = make('video', { class: 'self-video', autoplay: true, playsinline: true })
  video.muted = true
  const text = make('div', { class: 'self-text' })
  const show = () => {
    const track = devices.track('camera')
    video.hidden = !track
    text.textContent = track ? '' : fill(texts.cameraIsOff, {})
    const shown = (video.srcObject as MediaStream | null)?.getVideoTracks()[0] ?? null
    if (shown !== track) video.srcObject = track ? new MediaStream([track]) : null
  }
  devices.onChange(show)
  show()
  return make('div', { class: 'self-view' }, video, text)
}
