/// <reference lib="dom" />
// The way into a breakout room and back: a banner or a question, and a page in between.
import { fill, scenario, texts } from './boot.ts'
import { ask } from './dialogs.ts'
import { make, wait } from './make.ts'
import { type Place, place } from './place.ts'
import { goToRoom } from './server.ts'

const COUNTDOWN_MS = 1_000
/** A connection takes its time. */
const BETWEEN_MS = 700

export type Move = {
  /** The call behind ends. */
  readonly leave: () => void
  readonly enter: () => void
}

/** Resolves when the page has moved; never where it hangs. */
export async function moveTo({ name, callId }: Place, { leave, enter }: Move): Promise<void> {
  const room = name || texts.rooms.meeting
  await (scenario.roomMove === 'button' || scenario.roomMove === 'dead_button' ? asked(name, room) : countedDown(room))
  leave()
  document.body.replaceChildren(make('main', { class: 'screen' }, make('h1', {}, fill(texts.rooms.joining, { room }))))
  if (scenario.roomMove === 'hangs') return
  Object.assign(place, { name, callId })
  await wait(BETWEEN_MS)
  await goToRoom()
  showTitle()
  enter()
}

export function showTitle(): void {
  document.title = `${place.name || texts.rooms.meetingTitle} | Microsoft Teams`
}

async function countedDown(room: string): Promise<void> {
  const banner = make('div', { class: 'banner', role: 'status' }, fill(texts.rooms.countdown, { room }))
  document.body.append(banner)
  await wait(COUNTDOWN_MS)
  banner.remove()
}

async function asked(name: string, room: string): Promise<void> {
  const { invitation, join, back, backTo } = texts.rooms
  const isRoom = name !== ''
  const question = fill(isRoom ? invitation : backTo, { room })
  do await ask(question, [{ control: isRoom ? 'join_room' : 'return', text: isRoom ? join : back }])
  while (scenario.roomMove === 'dead_button')
}
