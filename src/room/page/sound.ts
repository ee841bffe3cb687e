/// <reference lib="dom" />
// Plays the audio of the others, with one audio element for each person.
import type { RemoteTrack } from './peer.ts'

export class Sound {
  readonly #onBlocked: (isBlocked: boolean) => void
  readonly #players = new Map<string, HTMLAudioElement>()

  constructor(onBlocked: (isBlocked: boolean) => void) {
    this.#onBlocked = onBlocked
  }

  play({ person, track }: RemoteTrack): void {
    const player = new Audio()
    player.srcObject = new MediaStream([track])
    player.dataset.person = person
    this.#players.set(person, player)
    player.play().catch(() => this.#onBlocked(this.#players.get(person) === player))
  }

  /** To be called from a click: browsers allow playback only after a user gesture. */
  async unblock(): Promise<void> {
    await Promise.all([...this.#players.values()].map((it) => it.play()))
    this.#onBlocked(false)
  }

  end(person: string): void {
    const player = this.#players.get(person)
    if (player) player.srcObject = null
    this.#players.delete(person)
  }
}
