/// <reference lib="dom" />
// The room's page: reads its URL and shows the screen of the call's phase.
//
// URL parameters: `name=Ada&join=1` joins at once; `mic=0` and `cam=0` leave the devices off; `lobby=1` turns on the lobby for the first
// person; `token` is required in signed mode; `bot=1` marks a program; `hd=1` requests 720p from the camera; `video=0` receives no video;
// `ptime=60` receives audio in packets of 60 ms; `sound=0` plays no sound.
import { Call } from './call.ts'
import { publish } from './protocol.ts'
import type { CallState, Phase } from './state.ts'
import { make } from './view/dom.ts'
import { inside } from './view/inside.ts'
import { prejoin } from './view/prejoin.ts'
import { joiningScreen, overScreen, waitingScreen } from './view/screens.ts'
import type { View } from './view/view.ts'

const NAME_KEY = 'emissary-room-name'

const address = new URL(location.href)
const asked = address.searchParams
const room = decodeURIComponent(address.pathname.split('/').at(-1) ?? '')
document.title = `${room} · Room`
const isBot = asked.get('bot') === '1'
document.documentElement.classList.toggle('bot', isBot)

const socketUrl = new URL(`${room}/socket`, location.href)
const token = asked.get('token')
if (token) socketUrl.searchParams.set('token', token)
socketUrl.protocol = socketUrl.protocol === 'https:' ? 'wss:' : 'ws:'
const call = new Call({
  socketUrl: socketUrl.href,
  quality: asked.get('hd') === '1' ? 'high' : 'standard',
  bot: isBot,
  lobby: asked.get('lobby') === '1',
  receivesVideo: asked.get('video') !== '0',
  packetMs: Number(asked.get('ptime')) || null,
  playsSound: asked.get('sound') !== '0',
})
publish(call)

const staticView = (element: HTMLElement): View => ({ element, update: () => undefined })
const SCREENS: Readonly<Record<Phase, (state: CallState) => View>> = {
  prejoin: () => prejoin(call, room, asked.get('name') ?? localStorage.getItem(NAME_KEY) ?? '', join),
  joining: () => staticView(joiningScreen()),
  waiting: () => staticView(waitingScreen(() => call.leave())),
  inside: () => inside(call, room),
  over: ({ ending }) => staticView(overScreen(ending ?? 'left')),
}

const app = document.getElementById('app') ?? document.body
const notice = make('div', { class: 'notice', role: 'status', 'data-testid': 'notice', hidden: true })
const lost = make('div', { class: 'lost', role: 'alert', 'data-testid': 'reconnecting', hidden: true }, 'Connection lost, reconnecting…')
let shown: { readonly phase: Phase; readonly view: View } | null = null

function render(state: CallState): void {
  if (shown?.phase !== state.phase) {
    shown = { phase: state.phase, view: SCREENS[state.phase](state) }
    app.replaceChildren(shown.view.element, lost, notice)
  }
  shown.view.update(state)
  lost.hidden = state.connection === 'up'
  notice.hidden = state.notice === null
  notice.textContent = state.notice
}

function join(name: string): void {
  localStorage.setItem(NAME_KEY, name)
  call.join(name)
}

call.listen({ onState: render, onTrack: () => render(call.state) })
render(call.state)
// A closed tab leaves explicitly, so that the others see it at once.
window.addEventListener('pagehide', () => call.leave())

await call.devices.open({ microphone: asked.get('mic') !== '0', camera: asked.get('cam') !== '0' })
const name = asked.get('name')?.trim()
if (asked.get('join') === '1' && name && call.state.phase === 'prejoin') join(name)
