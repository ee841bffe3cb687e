/// <reference lib="dom" />
// Reports the state that the room's page publishes: `window.emissaryRoom`, and an `emissary-room` event for every change.
import { reporter } from '../../browser-meeting/page/hidden-binding.ts'

type Track = { readonly person: string; readonly kind: string; readonly track: { readonly id: string } }
type Room = Record<string, unknown> & { readonly tracks: readonly Track[] }

/** Reports every change with the new state. */
export function startRoom(reports: string): void {
  const report = reporter(reports)
  window.addEventListener('emissary-room', (event) => {
    const room = Reflect.get(window, 'emissaryRoom') as Room
    const { kind, line } = (event as CustomEvent<{ kind: string; line?: unknown }>).detail
    const { phase, ending, self, people, speaking } = room
    const tracks = room.tracks.map(({ person, kind: shows, track }) => ({ id: track.id, person, kind: shows }))
    report({ kind, line, snapshot: { phase, ending, self, people, speaking, tracks } })
  })
}
