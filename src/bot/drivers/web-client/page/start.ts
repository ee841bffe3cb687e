/// <reference lib="dom" />
// Page-side observers, and the global through which the driver calls them.
import type { Signal } from '../tables.ts'
import { shareDecoded } from './decoded.ts'
import { Finder } from './find.ts'
import { followFrames } from './frame-sources.ts'
import { followConnections, type Listened, type Report } from './listeners.ts'
import { type LookTable, look } from './look.ts'
import { followPointer } from './pointer.ts'
import { followBound, followRequests, followSockets } from './requests.ts'
import { followSpeaking } from './speaking.ts'
import { followWorkers } from './worker-messages.ts'

/** `global`: for the driver's calls. `binding`: for reports to the driver. */
export type PageNames = { readonly global: string; readonly binding: string }

/** The names are random and not enumerable, so that the page cannot find them. */
export function startClient(names: PageNames, table: LookTable, listens: Listened | null): void {
  // Other frames of the page are not the meeting.
  if (window !== window.top && (!table.frame || window.parent !== window.top)) return
  const report: Report = (message) => {
    const binding: unknown = Reflect.get(window, names.binding)
    // The driver may already be gone.
    if (typeof binding === 'function') Promise.resolve(binding(message)).catch(() => undefined)
  }
  if (listens && 'RTCPeerConnection' in window) listen(listens, report)
  const observers = {
    ...followPointer(),
    look: () => look(table),
    find(signals: readonly Signal[], isSeen: boolean) {
      const found = new Finder(table.never).find(signals)
      return found && (found.visible || !isSeen) ? found.element : null
    },
    /** One of these elements shows the text. */
    shows: (places: string, text: string) => [...document.querySelectorAll<HTMLElement>(places)].some((it) => it.innerText.includes(text)),
  }
  Object.defineProperty(window, names.global, { value: Object.freeze(observers) })
}

function listen(listens: Listened, report: Report): void {
  const { onConnection, onFrame } = followSpeaking(listens, report)
  followConnections({ ...listens, report, onConnection })
  followFrames(onFrame)
  followRequests(listens, report)
  if (listens.sockets) followSockets(listens.sockets, report)
  if (listens.bound) followBound(listens.bound, report)
  if (listens.workers) followWorkers(listens.workers, report)
  if (listens.decodes) shareDecoded((text) => report({ kind: 'media_failed', text }))
}
