/// <reference lib="dom" />
// The life of the page: it loads, knocks, and then follows the messages of the server.
import type { ServerMessage } from '../wire.ts'
import { boot, scenario, texts } from './boot.ts'
import { askForConsent, type Call, startCall } from './call.ts'
import { showCaptcha } from './dialogs.ts'
import { make, wait } from './dom.ts'
import { askWhetherStillThere, createLobby } from './lobby.ts'
import { showPrejoin } from './prejoin.ts'
import { moveTo } from './rooms.ts'
import { showScreen, showSignInPage } from './screens.ts'
import { knock, listen, sayGoodbye } from './server.ts'
import { heedShortcuts } from './toggles.ts'

let call: Call | null = null
let stopListening = (): void => undefined

function leave(): void {
  stopListening()
  call?.end()
  call = null
  void sayGoodbye()
  showScreen('left')
}

const lobby = createLobby(leave, () => end({ kind: 'screen', screen: 'full' }))

function end(message: ServerMessage & { readonly kind: 'screen' }): void {
  stopListening()
  call?.end()
  const lingers = scenario.lobbyLingers && !call
  call = null
  showScreen(message.screen, lingers ? lobby.element : null)
}

function showLobby(what: 'lobby' | 'host_absent'): void {
  lobby.say(what)
  if (!lobby.element.isConnected) document.body.replaceChildren(lobby.element)
}

/** As the real page's code fails: uncaught, and in the console. */
function drop(isBlack: boolean): void {
  stopListening()
  lobby.stop()
  const error = Object.assign(new Error('The connection was closed. EndCause = 72'), { name: 'DisconnectedError' })
  console.error('DisconnectedError: EndCause = 72')
  if (isBlack) document.body.replaceChildren()
  setTimeout(() => {
    throw error
  })
}

function handle(message: ServerMessage, deviceId: string, name: string): void {
  if (message.kind === 'screen') end(message)
  if (message.kind === 'go') location.assign(message.to)
  if (message.kind === 'blank') document.body.replaceChildren()
  if (message.kind === 'lobby' || message.kind === 'host_absent') showLobby(message.kind)
  if (message.kind === 'still_there') askWhetherStillThere(leave)
  if (message.kind === 'dropped') drop(message.isBlack)
  if (message.kind === 'media') call?.changeMedia(message.path)
  if (message.kind === 'room') void move(message.room, name)
  if (message.kind === 'captcha') {
    showLobby('lobby')
    showCaptcha()
  }
  // Sent again after a network failure, when the call is still open.
  if (message.kind === 'admitted') call ??= startCall({ deviceId, name, leave, room: '', goBack: () => undefined })
}

/** An empty room: back to the meeting. */
async function move(room: string, name: string): Promise<void> {
  await moveTo(room, {
    leave: () => call?.end(),
    enter: (deviceId) => {
      call = startCall({ deviceId, name, leave, room, goBack: () => void move('', name) })
    },
  })
}

async function main(): Promise<void> {
  document.body.append(make('div', { class: 'spinner' }, texts.gettingReady))
  await wait(scenario.loadMs)
  if (boot.opensWith === 'sign_in_page') return showSignInPage()
  if (boot.opensWith !== 'prejoin') return showScreen(boot.opensWith)

  heedShortcuts()
  const name = await showPrejoin()
  if (scenario.consentsAt === 'door') await askForConsent(() => showScreen('left'))
  const deviceId = await knock(name)
  if (deviceId === null) return showScreen('problem')
  stopListening = listen({
    onMessage: (message) => handle(message, deviceId, name),
    lost: () => call?.lost(),
    back: () => call?.back(),
  })
}

void main()
