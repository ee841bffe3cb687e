// Decodes captions from the data channel of a Teams call.
import type { CaptionLine } from '../web-client/messages.ts'
import { at, listAt, numberAt, textAt } from './wire.ts'

/** Times count 100 ns since 1900. */
const UNITS_PER_MS = 10_000
const MS_FROM_1900_TO_1970 = 2_208_988_800_000

export function captionsIn(item: unknown): readonly CaptionLine[] {
  return listAt(item, 'recognitionResults').flatMap((result) => {
    const [userId, text] = [textAt(result, 'userId'), textAt(result, 'text')]
    const [sent, duration] = [numberAt(result, 'timestampAudioSent'), numberAt(result, 'duration')]
    if (userId === '' || text === '') return []
    const final = at(result, 'isFinal') === true
    const fromMs = (sent ?? 0) / UNITS_PER_MS - MS_FROM_1900_TO_1970
    const spoken = sent !== null && duration !== null && { fromMs, toMs: fromMs + Math.max(0, duration) / UNITS_PER_MS }
    // An utterance keeps its start time while it grows.
    const id = `${userId}/${textAt(result, 'id') || (sent ?? '')}`
    return { id, userId, version: 0, final, text, ...(spoken && { spoken }) }
  })
}
