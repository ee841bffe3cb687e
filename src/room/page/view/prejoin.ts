/// <reference lib="dom" />
// The screen before joining: name, camera preview, and switches for microphone and camera.
import { LIMITS } from '../../wire.ts'
import type { Call } from '../call.ts'
import { avatar, make } from './dom.ts'
import { mediaButton } from './toolbar.ts'
import type { View } from './view.ts'

export function prejoin(call: Call, room: string, name: string, onJoin: (name: string) => void): View {
  const video = make('video', { autoplay: true, playsinline: true, 'data-testid': 'preview', 'aria-label': 'Your camera' })
  video.muted = true
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
  const microphone = mediaButton(call, 'microphone')
  const camera = mediaButton(call, 'camera')
  const showFace = () => face.replaceChildren(avatar(input.value.trim() || '?'))
  input.addEventListener('input', showFace)
  showFace()

  const form = make(
    'form',
    {
      class: 'door-form',
      onsubmit: (event) => {
        event.preventDefault()
        if (input.value.trim()) onJoin(input.value.trim())
        else input.focus()
      },
    },
    make('p', { class: 'eyebrow' }, `Room ${room}`),
    make('h1', {}, 'Ready to join?'),
    make('label', { for: 'name' }, 'Your name'),
    input,
    make('button', { class: 'primary', type: 'submit', 'data-testid': 'join' }, 'Join the meeting'),
    make('p', { class: 'hint' }, 'Picture and sound go straight from browser to browser.'),
  )
  const preview = make(
    'div',
    { class: 'preview' },
    face,
    video,
    make('div', { class: 'preview-buttons' }, microphone.element, camera.element),
  )
  const element = make('main', { class: 'door', 'data-testid': 'prejoin' }, preview, form)

  return {
    element,
    update(state) {
      microphone.update(state)
      camera.update(state)
      const track = call.devices.tracks.camera
      element.classList.toggle('has-camera', track !== null)
      if (video.srcObject instanceof MediaStream && video.srcObject.getVideoTracks()[0] === track) return
      video.srcObject = track ? new MediaStream([track]) : null
    },
  }
}
