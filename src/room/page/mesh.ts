/// <reference lib="dom" />
// Keeps one peer connection to every other person in the roster.
import type { IceServer, MediaKind, PersonView, Signal } from '../wire.ts'
import { Peer, type RemoteTrack, type Tracks } from './peer.ts'
import type { Reception } from './reception.ts'

export type MeshEvents = {
  send(to: string, signal: Signal): void
  onTrack(track: RemoteTrack): void
  onGone(person: string): void
  onError(error: unknown): void
}

export class Mesh {
  readonly #events: MeshEvents
  readonly #reception: Reception
  readonly #peers = new Map<string, Peer>()
  #tracks: RemoteTrack[] = []
  iceServers: readonly IceServer[] = []

  constructor(events: MeshEvents, { receivesVideo, packetMs }: Reception) {
    this.#events = events
    this.#reception = { receivesVideo, packetMs }
  }

  /** The tracks of all others: three for each person, also while nothing is sent, or only the microphone where no video is received. */
  get tracks(): readonly RemoteTrack[] {
    return this.#tracks
  }

  get peers(): readonly Peer[] {
    return [...this.#peers.values()]
  }

  /** The list is in order of entry and the same for all. The later person of each pair makes the offer. */
  follow(people: readonly PersonView[], self: string, tracks: Tracks): void {
    const ids = people.map((it) => it.id)
    const own = ids.indexOf(self)
    for (const peer of this.peers) if (!ids.includes(peer.person)) this.#end(peer)
    for (const [index, person] of ids.entries()) {
      if (index !== own && !this.#peers.has(person)) this.#peers.set(person, this.#meet(person, own > index, tracks))
    }
  }

  accept(from: string, signal: Signal): void {
    this.#peers.get(from)?.accept(signal).catch(this.#events.onError)
  }

  replace(kind: MediaKind, track: MediaStreamTrack | null): void {
    for (const peer of this.peers) peer.replace(kind, track)
  }

  close(): void {
    for (const peer of this.peers) this.#end(peer)
  }

  #meet(person: string, offers: boolean, tracks: Tracks): Peer {
    return new Peer({
      person,
      offers,
      tracks,
      iceServers: this.iceServers,
      ...this.#reception,
      send: (signal) => this.#events.send(person, signal),
      onTrack: (track) => {
        this.#tracks = [...this.#tracks, track]
        this.#events.onTrack(track)
      },
    })
  }

  #end(peer: Peer): void {
    peer.close()
    this.#peers.delete(peer.person)
    this.#tracks = this.#tracks.filter((it) => it.person !== peer.person)
    this.#events.onGone(peer.person)
  }
}
