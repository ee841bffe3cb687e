// Captions of Zoom's web client: from its signalling, which names the speaker, or else from the lines that the page shows.
import { at, textAt } from '../browser-meeting/json-fields.ts'
import type { CaptionLine, ClientMessage } from '../browser-meeting/messages.ts'
import { idOf } from './participant-ids.ts'

type Shown = { readonly id: string; readonly userId: string; readonly text: string }

export class Captions {
  /** Signalling has carried a caption, so the page's lines are not read. */
  #isSignalled = false
  #shown: readonly Shown[] = []
  #count = 0

  /** Null where the object is no caption. */
  receiveSignal(body: object): ClientMessage | null {
    const [msgId, text] = [textAt(body, 'msgId'), textAt(body, 'text')]
    const userId = idOf(at(body, 'userId')) ?? idOf(at(body, 'user', 'userId'))
    const done = at(body, 'done')
    if (!msgId || !text || userId === null || typeof done !== 'boolean') return null
    this.#isSignalled = true
    return caption({ id: msgId, userId, text, final: done })
  }

  /** The page names no speaker: a new line belongs to the participant who speaks as it appears. */
  receivePage(texts: readonly string[], speaker: string | null): readonly ClientMessage[] {
    if (this.#isSignalled) return []
    const before = this.#shown
    const lines = texts.flatMap((text): readonly Shown[] => {
      const known = before.find((line) => isSameLine(line.text, text))
      if (known) return [{ ...known, text }]
      return text === '' || speaker === null ? [] : [{ id: `shown ${this.#count++}`, userId: speaker, text }]
    })
    this.#shown = lines
    const ended = before.filter(({ id }) => !lines.some((line) => line.id === id))
    const changed = lines.filter(({ id, text }) => before.find((line) => line.id === id)?.text !== text)
    return [...ended.map((line) => caption({ ...line, final: true })), ...changed.map((line) => caption({ ...line, final: false }))]
  }
}

/** A line grows, and its last words may change while it does. */
function isSameLine(before: string, now: string): boolean {
  const start = Math.min(before.length, now.length, SAME_START)
  return start > 0 && before.slice(0, start) === now.slice(0, start)
}

const SAME_START = 12

function caption(line: Omit<CaptionLine, 'version'>): ClientMessage {
  return { kind: 'caption', caption: { ...line, version: 0 } }
}
