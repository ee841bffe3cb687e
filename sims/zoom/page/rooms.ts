/// <reference lib="dom" />
// The way into a breakout room and back: the host's invitation, and a page in between.
import type { RoomBody } from '../site/wire.ts'
import type { CallView } from './call-view.ts'

/** A connection takes its time. */
const BETWEEN_MS = 3_000

/** Calls `enter` when the page is to join the other call. */
export function moveTo({ name, way }: RoomBody, view: CallView, enter: () => void): void {
  const { joiningRoom, returning } = view.words
  const go = () => {
    view.showText(name === null ? returning : fill(joiningRoom, name))
    if (way !== 'hangs') setTimeout(enter, BETWEEN_MS)
  }
  if (way === 'automatic' || way === 'hangs') go()
  else invite({ name, way }, view, go)
}

function invite({ name, way }: RoomBody, view: CallView, go: () => void): void {
  const { roomInvitation, joinRoom, mainInvitation, returnToMain, later } = view.words
  const isMain = name === null
  const answer = way === 'dead_button' ? () => invite({ name, way }, view, go) : go
  view.dialog(isMain ? mainInvitation : fill(roomInvitation, name), '', [
    { control: isMain ? 'return_to_main' : 'join_room', text: isMain ? returnToMain : joinRoom, press: answer },
    { control: 'later', text: later },
  ])
}

function fill(text: string, room: string): string {
  return text.replace('{room}', room)
}
