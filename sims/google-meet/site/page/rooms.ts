/// <reference lib="dom" />
// The way into a breakout room and back: a question or a notice, and a page in between.
import { fill, scenario, texts } from './boot.ts'
import { ask } from './dialogs.ts'
import { make, textButton, wait } from './dom.ts'
import { enterRoom } from './server.ts'

/** The real page gives 30 seconds before it closes a room. */
const NOTICE_MS = 1_000
/** A connection takes its time. */
const BETWEEN_MS = 500

export type Move = {
  /** Ends the call behind. */
  readonly leave: () => void
  /** Enters the call of the room as this device. */
  readonly enter: (deviceId: string) => void
}

/** Resolves when the page has moved. An empty room: back to the meeting. */
export async function moveTo(room: string, { leave, enter }: Move): Promise<void> {
  if (room === '' || scenario.roomMove === 'moved') await announced(room)
  else await asked(room)
  leave()
  document.body.replaceChildren(make('main', { class: 'screen' }, make('h1', {}, texts.gettingReady)))
  await wait(BETWEEN_MS)
  const deviceId = await enterRoom(room)
  if (scenario.roomTitle) document.title = room === '' ? meetingTitle : `Meet - ${room}`
  enter(deviceId)
}

const meetingTitle = document.title

/** Over the call in a breakout room. The name is text beside the button. */
export function createRoomBanner(room: string, goBack: () => void): HTMLElement {
  const text = make('div', { class: 'room-text', role: 'status' }, fill(texts.rooms.inside, { room }))
  return make('div', { class: 'room-banner' }, text, textButton('return_to_main', texts.rooms.back, goBack))
}

async function asked(room: string): Promise<void> {
  const { invitation, join, later } = texts.rooms
  const choices = [
    { control: 'later', text: later },
    { control: 'join_room', text: join },
  ]
  for (;;) {
    const chosen = await ask(invitation, room, choices)
    if (chosen === 'join_room' && scenario.roomMove !== 'dead_button') return
  }
}

async function announced(room: string): Promise<void> {
  const text = room === '' ? texts.rooms.closing : fill(texts.rooms.moving, { room })
  const notice = make('div', { class: 'toast', role: 'status' }, text)
  document.body.append(notice)
  await wait(NOTICE_MS)
  notice.remove()
}
