// A meeting or one of its breakout rooms.
import type { TeamsCall } from '../call/call.ts'

/** An empty name: the meeting itself. */
export type Room = { readonly name: string; readonly callId: string; readonly call: TeamsCall }
