/// <reference lib="dom" />
// The screen before joining: name, camera preview, and switches for microphone and camera.
import { LIMITS } from '../../wire.ts'
import type { Call } from '../call.ts'
import { avatar, form, make, showTrack, silentVideo } from './dom.ts'
import { mediaButton } from './toolbar.ts'
import type { View } from './view.ts'

export function prejoin(call: Call, room: string, name: string, onJoin: (name: string) => void): View {
  const camera = silentVideo('preview', { 'aria-label': 'Your camera' })
  const face = make('div', { class: 'preview-face' })
  const input = make('input', {
    id: 'name',
    name: 'name',
    'data-testid': 'name',
    autocomplete: 'name',
    maxlength: String(LIMITS.nameLength),
    required: true,
    placeholder: 'How the others see you',
    value: name,
  })
  const buttons = [mediaButton(call, 'microphone'), mediaButton(call, 'camera')]
  const showFace = () => face.replaceChildren(avatar(input.value.trim() || '?'))
  input.addEventListener('input', showFace)
  showFace()

  const submit = (): void => {
    if (input.value.trim()) onJoin(input.value.trim())
    else input.focus()
  }
  const questions = form(
    'door-form',
    submit,
    make('p', { class: 'eyebrow' }, `Room ${room}`),
    make('h1', {}, 'Ready to join?'),
    make('label', { for: 'name' }, 'Your name'),
    input,
    make('button', { class: 'primary', type: 'submit', 'data-testid': 'join' }, 'Join the meeting'),
    make('p', { class: 'hint' }, 'Picture and sound go straight from browser to browser.'),
  )
  const switches = make('div', { class: 'preview-buttons' }, ...buttons.map((it) => it.element))
  const preview = make('div', { class: 'preview' }, face, camera, switches)
  const element = make('main', { class: 'door', 'data-testid': 'prejoin' }, preview, questions)

  return {
    element,
    update(state) {
      for (const button of buttons) button.update(state)
      const track = call.devices.tracks.camera
      element.classList.toggle('has-camera', track !== null)
      showTrack(camera, track)
    },
  }
}
