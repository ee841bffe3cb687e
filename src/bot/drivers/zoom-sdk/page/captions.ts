/// <reference lib="dom" />
// Captions from the SDK's event and from its Redux store. The event needs the meeting's permission to save captions.
import type { ZoomReport } from '../report.ts'
import { at, numberAt, textAt } from './sdk.ts'

type Caption = Extract<ZoomReport, { kind: 'caption' }>
type Store = { getState(): unknown; subscribe(listener: () => void): unknown }

/** The SDK creates its only Redux store through the library that the page has loaded. */
export function followStore(publish: (caption: Caption) => void): void {
  const redux = at(window, 'Redux')
  const createStore = at(redux, 'createStore')
  if (typeof createStore !== 'function') return
  Reflect.set(Object(redux), 'createStore', (...given: unknown[]) => {
    const store = Reflect.apply(createStore, redux, given) as Store
    let last: unknown
    store.subscribe(() => {
      const messages = at(store.getState(), 'newLiveTranscription', 'newLTMessage')
      if (messages === last || messages === undefined) return
      const changed = Object.entries(Object(messages)).filter(([id, message]) => at(last, id) !== message)
      last = messages
      for (const [id, message] of changed) {
        const caption = captionOf({ ...Object(message), msgId: textAt(message, 'msgId') || id })
        if (caption) publish(caption)
      }
    })
    return store
  })
}

/** Null for other data, such as the error text without permission to save captions. */
export function captionOf(data: unknown): Caption | null {
  const text = textAt(data, 'text')
  const from = numberAt(data, 'user', 'userId') ?? numberAt(data, 'userId')
  const id = textAt(data, 'msgId') || String(numberAt(data, 'msgId') ?? '')
  if (text === '' || from === null || id === '') return null
  const name = textAt(data, 'user', 'displayName') || textAt(data, 'user', 'userName') || textAt(data, 'displayName')
  return { kind: 'caption', id, from, name, text, final: at(data, 'done') !== false }
}
