/// <reference lib="dom" />
// The life of the page: it loads, knocks, and then follows the messages of its socket.

import type { ScreenName } from '../texts.ts'
import type { ConversationEnd, Progress } from '../wire.ts'
import { boot, scenario, texts } from './boot.ts'
import { ActiveCall } from './call.ts'
import { devices } from './devices.ts'
import { type Frame, listen } from './frames.ts'
import { make, wait } from './make.ts'
import { place } from './place.ts'
import { type Prejoin, reloadIfLight, showPrejoin } from './prejoin.ts'
import { moveTo, showTitle } from './rooms.ts'
import { isDialog, showLoginForm, showPasscode, showScreen } from './screens.ts'
import { knock, sayGoodbye } from './server.ts'
import { withToken } from './token.ts'

let call: ActiveCall | null = null
let stopListening = (): void => undefined

const END_SCREENS: Readonly<Record<number, ScreenName>> = {
  5854: scenario.denied,
  5723: scenario.signInWall,
  5000: scenario.removed,
  5300: scenario.removed,
}

function finish(screen: ScreenName): void {
  stopListening()
  call?.end()
  call = null
  showScreen(screen)
}

function leave(): void {
  void sayGoodbye()
  call?.end()
  call = null
  showScreen('left')
}

async function join(prejoin: Prejoin): Promise<void> {
  if (scenario.experience === 'reload_on_join' && reloadIfLight()) return
  const id = await knock(prejoin.name)
  stopListening = listen({
    onFrame: (frame) => handle(frame, prejoin, id),
    onLost: () => call?.lost(),
    onBack: () => call?.back(),
  })
}

function handle(frame: Frame, prejoin: Prejoin, id: string): void {
  if (frame.name === 'progress') handleProgress(frame.body as Progress, prejoin, id)
  if (frame.name === 'rosterUpdate' && frame.callId === place.callId) call?.updateRoster(frame.body)
  if (frame.name === 'conversationEnd') handleEnd(frame.body as ConversationEnd, id, frame.callId)
  // Repeated after a network failure, when the call is still open.
  if (frame.name === 'acceptance') call ??= enter(id)
}

function enter(id: string): ActiveCall {
  if (scenario.unmutesItself) void devices.turn('microphone', true)
  showTitle()
  return new ActiveCall(id, leave)
}

function move(to: Extract<Progress, { kind: 'room' }>, id: string): void {
  void moveTo(to, {
    leave() {
      call?.end()
      call = null
    },
    enter() {
      call = new ActiveCall(id, leave)
    },
  })
}

function handleProgress(progress: Progress, prejoin: Prejoin, id: string): void {
  if (progress.kind === 'room') move(progress, id)
  if (progress.kind === 'lobby') prejoin.waitWith(texts.lobby[scenario.lobby])
  if (progress.kind === 'not_started') prejoin.waitWith(texts.notStarted[scenario.notStarted])
  if (progress.kind === 'go') location.assign(progress.to)
  if (progress.kind === 'screen') finish(progress.screen)
  if (progress.kind === 'caption_language_reset') call?.resetCaptionLanguage()
  if (progress.kind === 'lobby_failed') {
    stopListening()
    prejoin.enableAgain()
  }
}

/** The page's own departure is known already. */
function handleEnd({ subCode, sender }: ConversationEnd, id: string, callId: string): void {
  // The call that the page has left for another one.
  const isBehind = callId !== place.callId && (sender?.id === id || callId !== boot.callId)
  if (isBehind) return
  if (sender?.id === id) stopListening()
  else finish(END_SCREENS[subCode] ?? scenario.ended)
}

/** Shows the page in the first iframe of another. */
function showFramed(): void {
  const address = new URL(location.href)
  address.searchParams.set('framed', 'true')
  document.body.replaceChildren(make('iframe', { class: 'app-frame', src: address.href, allow: 'camera; microphone; autoplay' }))
}

function openPrejoin(): void {
  const prejoin = showPrejoin(() => void join(prejoin))
}

/** Some browsers get the light experience unless the address forbids it. */
function leadToLight(): boolean {
  const isFull = location.pathname.startsWith('/light-meetings/') || location.search.includes('lightExperience=false')
  if (boot.lightUrl === null || isFull) return false
  location.replace(withToken(boot.lightUrl))
  return true
}

function open(): void {
  const { opensWith } = boot
  if (opensWith === 'passcode') showPasscode()
  else if (opensWith === 'login_form') showLoginForm()
  else if (opensWith === 'sign_in') {
    reportError(new Error('[_getUserIdentifier] user missing'))
    location.assign(boot.signInUrl)
  } else {
    if (opensWith === 'prejoin' || isDialog(opensWith)) openPrejoin()
    if (opensWith !== 'prejoin') showScreen(opensWith)
  }
}

document.documentElement.lang = boot.language
if (scenario.loadMs !== null) {
  await wait(scenario.loadMs)
  if (scenario.frame === 'iframe' && window.parent === window) showFramed()
  else if (!leadToLight()) open()
}
