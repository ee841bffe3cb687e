/// <reference lib="dom" />
// A tile for every person inside, and a large tile for every shared screen.
import type { PersonView } from '../../wire.ts'
import type { Call } from '../call.ts'
import type { CallState } from '../state.ts'
import { avatar, KeyedList, make, showTrack, silentVideo } from './dom.ts'
import { icon } from './icons.ts'
import type { View } from './view.ts'

type Tile = {
  readonly person: PersonView
  readonly kind: 'camera' | 'screen'
  readonly isSelf: boolean
  readonly isSpeaking: boolean
  readonly track: MediaStreamTrack | null
}

export function tiles(call: Call): View {
  const faces = make('div', { class: 'faces', 'data-testid': 'faces' })
  const screens = make('div', { class: 'screens', 'data-testid': 'screens' })
  const element = make('div', { class: 'tiles' }, screens, faces)
  const keyOf = ({ person, kind }: Tile) => `${kind} ${person.id}`
  const faceList = new KeyedList<Tile>(faces, keyOf, tile)
  const screenList = new KeyedList<Tile>(screens, keyOf, tile)

  return {
    element,
    update(state) {
      const shown = state.people.filter((it) => it.media.screen).map((person) => tileOf(call, state, person, 'screen'))
      screenList.update(shown)
      faceList.update(state.people.map((person) => tileOf(call, state, person, 'camera')))
      faces.dataset.count = String(state.people.length)
      element.classList.toggle('has-screen', shown.length > 0)
    },
  }
}

function tileOf(call: Call, state: CallState, person: PersonView, kind: Tile['kind']): Tile {
  const isSelf = person.id === state.self
  const media = isSelf ? state.media : person.media
  const remote = call.tracks.find((it) => it.person === person.id && it.kind === kind)?.track ?? null
  return {
    person: { ...person, media },
    kind,
    isSelf,
    isSpeaking: state.speaking.includes(person.id) && media.microphone,
    track: media[kind] ? (isSelf ? call.devices.tracks[kind] : remote) : null,
  }
}

function tile(first: Tile): View<Tile> {
  const { person, kind, isSelf } = first
  const video = silentVideo('video')
  const microphone = make('span', { class: 'tile-microphone' })
  const name = isSelf ? `${person.name} (you)` : person.name
  const label = make('span', { class: 'tile-name', title: person.name }, kind === 'screen' ? `${name} is presenting` : name)
  const caption = make('div', { class: 'tile-caption' }, ...(kind === 'camera' ? [microphone] : []), label)
  if (person.bot) caption.append(make('span', { class: 'tag' }, 'Bot'))
  const away = make('div', { class: 'tile-away' }, 'Reconnecting…')
  const element = make(
    'article',
    {
      class: `tile ${kind}`,
      'data-testid': 'tile',
      'data-kind': kind,
      'data-person': person.id,
      'data-name': person.name,
      'data-self': isSelf,
    },
    make('div', { class: 'tile-face' }, avatar(person.name)),
    video,
    away,
    caption,
  )
  const marks = make('div', { class: 'tile-host tag', title: 'Host' }, 'Host')
  if (kind === 'camera') element.append(marks)

  return {
    element,
    update(tile) {
      element.classList.toggle('has-video', tile.track !== null)
      element.classList.toggle('is-speaking', tile.isSpeaking && kind === 'camera')
      marks.hidden = !tile.person.host
      away.hidden = tile.person.connected
      showTrack(video, tile.track)
      setMicrophone(microphone, tile.person.media.microphone)
      element.setAttribute('aria-label', describe(tile, name))
    },
  }
}

function describe({ kind, person: { media, connected } }: Tile, name: string): string {
  if (kind === 'screen') return `Screen of ${name}`
  const facts = [media.microphone ? 'microphone on' : 'microphone off', media.camera ? 'camera on' : 'camera off']
  return [name, ...facts, ...(connected ? [] : ['reconnecting'])].join(', ')
}

function setMicrophone(element: HTMLElement, isOn: boolean): void {
  const state = isOn ? 'on' : 'off'
  if (element.dataset.microphone === state) return
  element.dataset.microphone = state
  element.replaceChildren(icon(isOn ? 'microphone' : 'microphoneOff'))
}
