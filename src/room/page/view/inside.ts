/// <reference lib="dom" />
// The screen of a running call: tiles, panels, toolbar and notices.
import type { Call } from '../call.ts'
import { chat } from './chat.ts'
import { button, make } from './dom.ts'
import { icon } from './icons.ts'
import { knocks, people } from './people.ts'
import { tiles } from './tiles.ts'
import { type PanelName, toolbar } from './toolbar.ts'
import type { View } from './view.ts'

const TITLES: Readonly<Record<PanelName, string>> = { chat: 'Chat', people: 'People' }

export function inside(call: Call, room: string): View {
  let open: PanelName | null = null
  const panel = make('aside', { class: 'panel', 'data-testid': 'panel', hidden: true })
  const bodies: Readonly<Record<PanelName, View>> = { chat: chat(call), people: people(call) }
  const toggle = (name: PanelName): void => {
    open = open === name ? null : name
    panel.hidden = open === null
    element.classList.toggle('has-panel', open !== null)
    if (open) {
      panel.setAttribute('aria-label', TITLES[open])
      panel.replaceChildren(
        panelHead(TITLES[open], () => toggle(name)),
        bodies[open].element,
      )
      panel.querySelector<HTMLElement>('textarea')?.focus()
    }
    update(call.state)
  }

  const grid = tiles(call)
  const tools = toolbar(call, { open: () => open, toggle })
  const door = knocks(call)
  const sound = button('sound', 'banner primary', () => call.unblockSound(), { hidden: true }, icon('sound'), 'Turn on sound')
  const count = make('span', { class: 'count', 'data-testid': 'count' })
  const element = make(
    'div',
    { class: 'call', 'data-testid': 'call' },
    make('header', { class: 'call-head' }, make('h1', {}, room), count, copyLink(call)),
    make('div', { class: 'over-call' }, sound, door.element),
    make('main', { class: 'stage' }, grid.element),
    panel,
    tools.element,
  )

  function update(state: Call['state']): void {
    for (const view of [grid, tools, door, ...Object.values(bodies)]) view.update(state)
    sound.hidden = !state.isSoundBlocked
    count.textContent = state.people.length === 1 ? 'Only you are here' : `${state.people.length} people`
  }
  return { element, update }
}

function panelHead(title: string, onClose: () => void): HTMLElement {
  const close = button('close-panel', 'round plain', onClose, { 'aria-label': `Close ${title.toLowerCase()}` }, icon('close'))
  return make('header', { class: 'panel-head' }, make('h2', {}, title), close)
}

function copyLink(call: Call): HTMLElement {
  const address = new URL(location.pathname, location.href)
  const token = new URL(location.href).searchParams.get('token')
  if (token) address.searchParams.set('token', token)
  const link = address.href
  const copy = () => {
    const copied = navigator.clipboard ? navigator.clipboard.writeText(link) : Promise.reject(new Error('no clipboard'))
    copied.then(
      () => call.notify('The link is copied. Everyone who has it can join.'),
      () => call.notify(link),
    )
  }
  return button('copy-link', 'small secondary copy', copy, {}, 'Copy link')
}
