/// <reference lib="dom" />
// The waiting room. Much of it looks as if one were in the call already.
import { scenario, words } from './boot.ts'
import { ask } from './dialogs.ts'
import { icon, make, pressable, textButton } from './dom.ts'
import { createSelfView, createToggle } from './toggles.ts'

export type Lobby = {
  readonly element: HTMLElement
  /** What it waits for: to be let in, or for a host who could do that. */
  say(what: 'lobby' | 'host_absent'): void
}

export function createLobby(leave: () => void): Lobby {
  const text = make('div', { class: 'lobby-text', role: 'status' })
  const home = textButton('home', words.home, () => location.assign('https://meet.google.com/'))
  const traps = scenario.lobbyTraps ? [createPhantomTile(), createToolbar(leave)] : []
  const element = make('div', { class: 'lobby', jsname: 'BOHaEe' }, createSelfView(), text, home, ...traps)
  return {
    element,
    say(what) {
      text.textContent = what === 'lobby' ? words.lobby[scenario.lobby] : words.hostAbsent
    },
  }
}

/** The tile of oneself, whose text begins with the name of its icon. */
function createPhantomTile(): HTMLElement {
  const effects = pressable({ control: 'effects', attributes: { class: 'round' }, press: () => undefined }, icon('visual_effects'))
  return make('div', { class: 'phantom', 'data-participant-id': 'spaces/lobby/devices/preview' }, effects, make('span', {}, words.effects))
}

function createToolbar(leave: () => void): HTMLElement {
  const attributes = { class: 'round danger', jsname: 'CQylAd', 'aria-label': words.leave }
  return make(
    'div',
    { class: 'toolbar', role: 'region', 'aria-label': words.controls },
    createToggle('microphone'),
    createToggle('camera'),
    pressable({ control: 'leave', attributes, press: leave }, icon('call_end')),
  )
}

export function askWhetherStillThere(leave: () => void): void {
  void ask(words.stillThere, '', [
    { control: 'keep_waiting', text: words.keepWaiting },
    { control: 'leave', text: words.leaveInstead, press: leave },
  ])
}
