/// <reference lib="dom" />
// The room's API for programs in the page: the state in `window.emissaryRoom`, and `emissary-room` events on the window.
import type { ChatLine } from '../wire.ts'
import type { Call } from './call.ts'
import type { RemoteTrack } from './peer.ts'
import { type CallState, selfIn } from './state.ts'

/** The `detail` of an `emissary-room` event. */
type RoomEvent =
  | ({ readonly kind: 'phase' } & Pick<CallState, 'phase' | 'ending'>)
  | ({ readonly kind: 'connection' } & Pick<CallState, 'connection'>)
  | ({ readonly kind: 'people' } & Pick<CallState, 'people'>)
  | ({ readonly kind: 'waiting' } & Pick<CallState, 'waiting'>)
  /** Also sent once for every line of the history after entering. */
  | { readonly kind: 'chat'; readonly line: ChatLine }
  | ({ readonly kind: 'speaking' } & Pick<CallState, 'speaking'>)
  | { readonly kind: 'track'; readonly track: RemoteTrack }

export function publish(call: Call): void {
  const protocol = Object.defineProperties(
    {},
    Object.fromEntries(Object.entries(READERS).map(([name, read]) => [name, { enumerable: true, get: () => read(call) }])),
  )
  Object.defineProperty(window, 'emissaryRoom', { value: Object.freeze(protocol), enumerable: true })

  const emit = (detail: RoomEvent) => window.dispatchEvent(new CustomEvent('emissary-room', { detail }))
  call.listen({
    onState: (state, before) => {
      for (const event of eventsBetween(before, state)) emit(event)
    },
    onTrack: (track) => emit({ kind: 'track', track }),
  })
}

/** The properties of `window.emissaryRoom`. Each read returns a new snapshot. Read-only. */
const READERS = {
  version: () => 1,
  phase: ({ state }) => state.phase,
  ending: ({ state }) => state.ending,
  connection: ({ state }) => state.connection,
  /** Null until inside. */
  self: ({ state }) => selfIn(state) ?? null,
  /** All people inside including ourselves, longest present first. */
  people: ({ state }) => state.people,
  /** Empty except for the host. */
  waiting: ({ state }) => state.waiting,
  chat: ({ state }) => state.chat,
  speaking: ({ state }) => state.speaking,
  /** The tracks of the others: three for each person, with the transceiver mids 0, 1 and 2, or only the first with `video=0`. */
  tracks: ({ tracks }) => tracks,
} as const satisfies Record<string, (call: Call) => unknown>

function eventsBetween(before: CallState, after: CallState): RoomEvent[] {
  const { phase, ending, connection, people, waiting, chat, speaking } = after
  // After joining again, for example because the server restarted, the chat is a new one.
  const lastLine = before.self === after.self ? (before.chat.at(-1)?.id ?? 0) : 0
  const all: (RoomEvent | false)[] = [
    phase !== before.phase && { kind: 'phase', phase, ending },
    connection !== before.connection && { kind: 'connection', connection },
    people !== before.people && { kind: 'people', people },
    waiting !== before.waiting && { kind: 'waiting', waiting },
    speaking !== before.speaking && { kind: 'speaking', speaking },
    ...chat.filter((it) => it.id > lastLine).map((line) => ({ kind: 'chat' as const, line })),
  ]
  return all.filter((it) => it !== false)
}
