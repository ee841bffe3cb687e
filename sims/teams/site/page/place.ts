// The call in which this page is: the meeting's, or that of a breakout room.
import { boot } from './boot.ts'

export type Place = { name: string; callId: string }

/** An empty name: the meeting itself. */
export const place: Place = { name: '', callId: boot.callId }
