/// <reference lib="dom" />
// Page-side observers, and the global through which the driver calls them.
import type { Signal } from '../tables.ts'
import { Finder } from './find.ts'
import { followFrames } from './frame-sources.ts'
import { followConnections, type Listened, type Report } from './listeners.ts'
import { type LookTable, look } from './look.ts'
import { followPointer } from './pointer.ts'
import { followBound, followRequests, followSockets } from './requests.ts'
import { followSpeaking } from './speaking.ts'

/** `global`: through which the driver calls the observers. `binding`: what they call to report. */
export type PageNames = { readonly global: string; readonly binding: string }

/** The page finds nothing of it by looking through its window, and cannot guess the names. */
export function startClient(names: PageNames, table: LookTable, listens: Listened | null): void {
  // Other frames of the page are not the meeting.
  if (window !== window.top && (!table.frame || window.parent !== window.top)) return
  const report: Report = (message) => {
    const binding: unknown = Reflect.get(window, names.binding)
    // The driver may have gone already.
    if (typeof binding === 'function') Promise.resolve(binding(message)).catch(() => undefined)
  }
  if (listens && 'RTCPeerConnection' in window) {
    const { onConnection, onFrame } = followSpeaking(listens, report)
    followConnections({ ...listens, report, onConnection })
    followFrames(onFrame)
    followRequests(listens, report)
    if (listens.sockets) followSockets(listens.sockets, report)
    if (listens.bound) followBound(listens.bound, report)
  }
  const observers = {
    ...followPointer(),
    look: () => look(table),
    find(signals: readonly Signal[], isSeen: boolean) {
      const found = new Finder(table.never).find(signals)
      return found && (found.visible || !isSeen) ? found.element : null
    },
    /** Whether one of these places shows the text. */
    shows: (places: string, text: string) => [...document.querySelectorAll<HTMLElement>(places)].some((it) => it.innerText.includes(text)),
  }
  Object.defineProperty(window, names.global, { value: Object.freeze(observers) })
}
