// The main session of a meeting or one of its breakout rooms.
import type { ZoomCall } from '../call/call.ts'

/** `name`: null for the main session. */
export type Room = { readonly name: string | null; readonly call: ZoomCall }
