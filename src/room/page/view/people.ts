/// <reference lib="dom" />
// The list of people inside and waiting, with the host's actions.
import type { PersonView, WaitingView } from '../../wire.ts'
import type { Call } from '../call.ts'
import { selfIn } from '../state.ts'
import { avatar, button, KeyedList, make } from './dom.ts'
import { icon } from './icons.ts'
import type { View } from './view.ts'

type Row = { readonly person: PersonView; readonly isSelf: boolean; readonly canRemove: boolean }

export function people(call: Call): View {
  const waitingList = make('ul', { 'data-testid': 'waiting-list' })
  const waiting = make('section', { hidden: true }, make('h3', {}, 'Waiting to be let in'), waitingList)
  const insideTitle = make('h3', {})
  const insideList = make('ul', { 'data-testid': 'people-list' })
  const waitingRows = new KeyedList<WaitingView>(
    waitingList,
    (it) => it.id,
    (it) => waitingRow(call, it, 'waiting'),
  )
  const insideRows = new KeyedList<Row>(
    insideList,
    (it) => it.person.id,
    (it) => insideRow(call, it),
  )

  return {
    element: make('div', { class: 'people' }, waiting, make('section', {}, insideTitle, insideList)),
    update(state) {
      const isHost = selfIn(state)?.host ?? false
      waiting.hidden = state.waiting.length === 0
      waitingRows.update(state.waiting)
      insideTitle.textContent = `In the meeting (${state.people.length})`
      insideRows.update(
        state.people.map((person) => {
          const isSelf = person.id === state.self
          return { person, isSelf, canRemove: isHost && !isSelf }
        }),
      )
    },
  }
}

/** Waiting people, shown over the call to the host. */
export function knocks(call: Call): View {
  const element = make('div', { class: 'knocks', role: 'status', 'aria-label': 'At the door' })
  const rows = new KeyedList<WaitingView>(
    element,
    (it) => it.id,
    (it) => waitingRow(call, it, 'knock'),
  )
  return { element, update: ({ waiting }) => rows.update(waiting.slice(0, 3)) }
}

function waitingRow(call: Call, { id, name, bot }: WaitingView, place: 'waiting' | 'knock'): View<WaitingView> {
  const decide = (kind: 'admit' | 'refuse', label: string, look: string) =>
    button(kind, look, () => call.send({ kind, whom: id }), { 'aria-label': `${label} ${name}` }, label)
  const text =
    place === 'knock'
      ? make('span', { class: 'row-name', title: name }, make('b', {}, name), make('span', { class: 'wish' }, ' wants to join'))
      : make('span', { class: 'row-name', title: name }, name)
  const element = make(
    place === 'knock' ? 'div' : 'li',
    { class: 'row', 'data-testid': place, 'data-person': id, 'data-name': name },
    avatar(name),
    text,
    ...(bot ? [make('span', { class: 'tag' }, 'Bot')] : []),
    make('span', { class: 'row-buttons' }, decide('refuse', 'Refuse', 'small secondary'), decide('admit', 'Admit', 'small primary')),
  )
  return { element, update: () => undefined }
}

function insideRow(call: Call, { person: { id, name, bot }, isSelf }: Row): View<Row> {
  const host = make('span', { class: 'tag' }, 'Host')
  const microphone = make('span', { class: 'row-media' })
  const camera = make('span', { class: 'row-media' })
  const sendAway = (): void => call.send({ kind: 'remove', whom: id })
  const remove = button('remove', 'small secondary', sendAway, { 'aria-label': `Remove ${name}` }, 'Remove')
  const element = make(
    'li',
    { class: 'row', 'data-testid': 'person', 'data-person': id, 'data-name': name },
    avatar(name),
    make('span', { class: 'row-name', title: name }, isSelf ? `${name} (you)` : name),
    ...(bot ? [make('span', { class: 'tag' }, 'Bot')] : []),
    host,
    make('span', { class: 'row-buttons' }, remove, microphone, camera),
  )
  return {
    element,
    update({ person, canRemove }) {
      host.hidden = !person.host
      remove.hidden = !canRemove
      element.classList.toggle('is-away', !person.connected)
      if (element.dataset.media === JSON.stringify(person.media)) return
      element.dataset.media = JSON.stringify(person.media)
      microphone.replaceChildren(icon(person.media.microphone ? 'microphone' : 'microphoneOff'))
      camera.replaceChildren(icon(person.media.camera ? 'camera' : 'cameraOff'))
    },
  }
}
