/// <reference lib="dom" />
// The waiting room, of which much looks like the call.
import { scenario, texts } from './boot.ts'
import { devices } from './devices.ts'
import { ask } from './dialogs.ts'
import { icon, make, pressable, textButton } from './dom.ts'
import { RateLimited, sync } from './server.ts'
import { createSelfView, createToggle } from './toggles.ts'

export type Lobby = {
  readonly element: HTMLElement
  /** Waits for admission, or for a host. */
  say(what: 'lobby' | 'host_absent'): void
  stop(): void
}

/** `full`: the server limits requests, which the page shows as a full meeting. */
export function createLobby(leave: () => void, full: () => void): Lobby {
  const text = make('div', { class: 'lobby-text', role: 'status' })
  const home = textButton('home', texts.home, () => location.assign('https://meet.google.com/'))
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

      text.textContent = what === 'lobby' ? texts.lobby[scenario.lobby] : texts.hostAbsent
    },
  }
}

/** The tile of the page's own user, whose text begins with the name of its icon. */
function createPhantomTile(): HTMLElement {
  const effects = pressable({ control: 'effects', attributes: { class: 'round' }, press: () => undefined }, icon('visual_effects'))
  return make('div', { class: 'phantom', 'data-participant-id': 'spaces/lobby/devices/preview' }, effects, make('span', {}, texts.effects))
}

function createToolbar(leave: () => void): HTMLElement {
  const attributes = { class: 'round danger', jsname: 'CQylAd', 'aria-label': texts.leave }
  return make(
    'div',
    { class: 'toolbar', role: 'region', 'aria-label': texts.controls },
    createToggle('microphone'),
    createToggle('camera'),
    pressable({ control: 'leave', attributes, press: leave }, icon('call_end')),
  )
}

export function askWhetherStillThere(leave: () => void): void {
  void ask(texts.idlePrompt, '', [
    { control: 'keep_waiting', text: texts.keepWaiting },
    { control: 'leave', text: texts.leaveInstead, press: leave },
  ])
}

function turnDevicesOff(): void {
  for (const kind of ['microphone', 'camera'] as const) void devices.turn(kind, false)
}
