/// <reference lib="dom" />
// The page's story: it loads, somebody asks to join, and from then on the server tells what becomes of it.
import type { Told } from '../wire.ts'
import { boot, scenario, words } from './boot.ts'
import { askForConsent, type Call, startCall } from './call.ts'
import { showCaptcha } from './dialogs.ts'
import { make, wait } from './dom.ts'
import { askWhetherStillThere, createLobby } from './lobby.ts'
import { showPrejoin } from './prejoin.ts'
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

function end(told: Told & { readonly kind: 'screen' }): void {
  stopListening()
  call?.end()
  const lingers = scenario.lobbyLingers && !call
  call = null
  showScreen(told.screen, lingers ? lobby.element : null)
}

function showLobby(what: 'lobby' | 'host_absent'): void {
  lobby.say(what)
  if (!lobby.element.isConnected) document.body.replaceChildren(lobby.element)
}

/** As the real page's code dies: uncaught, and in the console. */
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

function hear(told: Told, deviceId: string, name: string): void {
  if (told.kind === 'screen') end(told)
  if (told.kind === 'go') location.assign(told.to)
  if (told.kind === 'blank') document.body.replaceChildren()
  if (told.kind === 'lobby' || told.kind === 'host_absent') showLobby(told.kind)
  if (told.kind === 'still_there') askWhetherStillThere(leave)
  if (told.kind === 'dropped') drop(told.isBlack)
  if (told.kind === 'media') call?.changeMedia(told.path)
  if (told.kind === 'captcha') {
    showLobby('lobby')
    showCaptcha()
  }
  // Told again after the network was gone, when the call is still there.
  if (told.kind === 'admitted') call ??= startCall({ deviceId, name, leave })
}

async function main(): Promise<void> {
  document.body.append(make('div', { class: 'spinner' }, words.gettingReady))
  await wait(scenario.loadMs)
  if (boot.opensWith === 'sign_in_page') return showSignInPage()
  if (boot.opensWith !== 'prejoin') return showScreen(boot.opensWith)

  heedShortcuts()
  const name = await showPrejoin()
  if (scenario.consentsAt === 'door') await askForConsent(() => showScreen('left'))
  const deviceId = await knock(name)
  if (deviceId === null) return showScreen('problem')
  stopListening = listen({
    told: (told) => hear(told, deviceId, name),
    lost: () => call?.lost(),
    back: () => call?.back(),
  })
}

void main()
