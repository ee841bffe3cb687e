/// <reference lib="dom" />
// Page-side observers, and the hidden object through which the driver calls them.
import { hide } from '../../../worker/page/hidden.ts'
import type { Signal } from '../page-rules.ts'
import { shareDecoded } from './decoded.ts'
import { Finder } from './find.ts'
import { type Report, reporter } from './hidden-binding.ts'
import { followConnections, type Listened } from './listeners.ts'
import { type LookRules, look } from './look.ts'
import { followPointer } from './pointer.ts'
import { followBound, followRequests, followSockets } from './requests.ts'
import { followSpeaking } from './speaking.ts'
import { followWorkers } from './worker-messages.ts'

/** Hidden objects. `observers`: for the driver's calls. `reports`: the function that reports to the driver. */
export type PageNames = { readonly observers: string; readonly reports: string }

export function startClient(names: PageNames, rules: LookRules, listens: Listened | null): void {
  // Other frames of the page are not the meeting.
  if (window !== window.top && (!rules.frame || window.parent !== window.top)) return
  if (listens && 'RTCPeerConnection' in window) listen(listens, reporter(names.reports))
  const observers = {
    ...followPointer(),
    look: (isNested: boolean) => look(rules, isNested),
    find(signals: readonly Signal[], isSeen: boolean) {
      const found = new Finder(rules.never).find(signals)
      return found && (found.visible || !isSeen) ? found.element : null
    },
    /** One of these elements shows the text. */
    shows: (places: string, text: string) => [...document.querySelectorAll<HTMLElement>(places)].some((it) => it.innerText.includes(text)),
  }
  hide(names.observers, observers)
}

function listen(listens: Listened, report: Report): void {
  followConnections({ ...listens, report, onConnection: followSpeaking(listens, report) })
  followRequests(listens, report)
  if (listens.sockets) followSockets(listens.sockets, report)
  if (listens.bound) followBound(listens.bound, report)
  if (listens.workers) followWorkers(listens.workers, report)
  if (listens.decodes) shareDecoded((text) => report({ kind: 'media_failed', text }))
}
