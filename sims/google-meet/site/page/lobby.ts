/// <reference lib="dom" />
// The waiting room. Much of it looks as if one were in the call already.
import { scenario, words } from './boot.ts'
import { devices } from './devices.ts'
import { ask } from './dialogs.ts'
import { icon, make, pressable, textButton } from './dom.ts'
import { RateLimited, sync } from './server.ts'
import { createSelfView, createToggle } from './toggles.ts'

export type Lobby = {
  readonly element: HTMLElement
  /** What it waits for: to be let in, or for a host who could do that. */
  say(what: 'lobby' | 'host_absent'): void
  stop(): void
}

/** `full`: the server answers no more requests, which the page takes for a meeting that is full. */
export function createLobby(leave: () => void, full: () => void): Lobby {
  const text = make('div', { class: 'lobby-text', role: 'status' })
  const home = textButton('home', words.home, () => location.assign('https://meet.google.com/'))
  const traps = scenario.lobbyTraps ? [createPhantomTile(), createToolbar(leave)] : []
  const element = make('div', { class: 'lobby', jsname: 'BOHaEe' }, createSelfView(), text, home, ...traps)
  let timer: ReturnType<typeof setInterval> | undefined
  const stop = () => clearInterval(timer)
  const ask = () => {
    if (!element.isConnected) stop()
    else sync().catch((error: unknown) => error instanceof RateLimited && full())
  }
  return {
    element,
    stop,
    say(what) {
      stop()
      timer = setInterval(ask, scenario.syncEveryMs)
      if (scenario.lobbyDevicesOffMs !== null) setTimeout(turnDevicesOff, scenario.lobbyDevicesOffMs)
      setTimeout(ask)

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

function turnDevicesOff(): void {
  for (const kind of ['microphone', 'camera'] as const) void devices.turn(kind, false)
}
