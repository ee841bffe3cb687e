/// <reference lib="dom" />
// The screens without a call: joining, waiting in the lobby, and every ending.
import type { Ending } from '../state.ts'
import { button, make } from './dom.ts'
import { type IconName, icon } from './icons.ts'

const ENDINGS: Readonly<
  Record<Ending, { readonly title: string; readonly text: string; readonly icon: IconName; readonly again: string }>
> = {
  ended: { title: 'The meeting has ended', text: 'The host ended it for everyone.', icon: 'end', again: 'Start it again' },
  removed: { title: 'You were removed from the meeting', text: 'The host took you out.', icon: 'leave', again: 'Ask to come back' },
  refused: {
    title: 'The host did not let you in',
    text: 'You can ask again, or talk to the host first.',
    icon: 'close',
    again: 'Ask again',
  },
  full: {
    title: 'The meeting is full',
    text: 'It has no free place. Try again when someone has left.',
    icon: 'people',
    again: 'Try again',
  },
  left: { title: 'You left the meeting', text: 'The others go on without you.', icon: 'leave', again: 'Join again' },
  link_expired: { title: 'The link has expired', text: 'Ask for a new link to the room.', icon: 'close', again: 'Try again' },
  lost: { title: 'The connection was lost', text: 'It did not come back within a minute.', icon: 'end', again: 'Join again' },
}

export function overScreen(ending: Ending): HTMLElement {
  const { title, text, icon: name, again } = ENDINGS[ending]
  return screen(
    'over',
    { 'data-ending': ending, role: 'alert' },
    make('div', { class: 'medal' }, icon(name)),
    make('h1', {}, title),
    make('p', {}, text),
    button('again', 'primary', comeBack, {}, again),
  )
}

export function joiningScreen(): HTMLElement {
  return screen('joining', { role: 'status' }, make('div', { class: 'pulse' }, icon('camera')), make('h1', {}, 'Joining…'))
}

export function waitingScreen(onLeave: () => void): HTMLElement {
  return screen(
    'waiting',
    { role: 'status' },
    make('div', { class: 'pulse' }, icon('people')),
    make('h1', {}, 'Waiting to be let in'),
    make('p', {}, 'The host has been told that you are here.'),
    button('leave', 'secondary', onLeave, {}, 'Leave'),
  )
}

function screen(id: string, attributes: Record<string, string>, ...children: Node[]): HTMLElement {
  return make('main', { class: 'standalone', 'data-testid': id, ...attributes }, make('div', { class: 'card' }, ...children))
}

/** Goes to the prejoin screen, even if the URL has `join=1`. */
function comeBack(): void {
  const address = new URL(location.href)
  address.searchParams.delete('join')
  location.href = address.href
}
