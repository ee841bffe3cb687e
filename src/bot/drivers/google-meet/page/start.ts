/// <reference lib="dom" />
// Our eyes and ears in the page, and the words by which we reach them from outside.
import { Finder, type Signal } from './find.ts'
import { followConnections, followRequests, type Tell } from './hear.ts'
import { look, type Table } from './look.ts'
import { followSpeaking } from './speaking.ts'

/** The page finds nothing of it by looking through its window, and cannot guess the names. */
export function startMeet(name: string, tellName: string, table: Table): void {
  // The page's frames are not the meeting.
  if (window !== window.top) return
  const tell: Tell = (message) => {
    const binding: unknown = Reflect.get(window, tellName)
    // Whoever listened may have gone already.
    if (typeof binding === 'function') Promise.resolve(binding(message)).catch(() => undefined)
  }
  if ('RTCPeerConnection' in window) {
    followConnections(tell, followSpeaking(tell))
    followRequests(tell)
  }
  const words = {
    look: () => look(table),
    grasp(signals: readonly Signal[], isSeen: boolean) {
      const found = new Finder(table.never).find(signals)
      return found && (found.visible || !isSeen) ? found.element : null
    },
    /** Whether the chat shows these words. */
    shows: (places: string, text: string) => [...document.querySelectorAll<HTMLElement>(places)].some((it) => it.innerText.includes(text)),
  }
  Object.defineProperty(window, name, { value: Object.freeze(words) })
}
