/// <reference lib="dom" />
// The call: turns server messages and user actions into state, peer connections and audio.
import type { ClientMessage, MediaKind, ServerMessage } from '../wire.ts'
import { Connection } from './connection.ts'
import { type CameraQuality, Devices } from './devices.ts'
import { watchLevels } from './levels.ts'
import { Mesh, type MeshEvents } from './mesh.ts'
import type { RemoteTrack } from './peer.ts'
import type { Reception } from './reception.ts'
import { Sound } from './sound.ts'
import { type CallState, type Ending, FIRST_STATE } from './state.ts'

export type CallOptions = Reception & {
  readonly socketUrl: string
  readonly quality: CameraQuality
  readonly bot: boolean
  readonly lobby: boolean
  /** False: the microphones of the others are received and not played. */
  readonly playsSound: boolean
}

export type CallListener = {
  onState?(state: CallState, before: CallState): void
  onTrack?(track: RemoteTrack): void
}

const NOTICE_MS = 6_000

export class Call {
  readonly devices: Devices
  readonly #options: CallOptions
  readonly #mesh: Mesh
  readonly #sound: Sound
  readonly #listeners: CallListener[] = []
  #state = FIRST_STATE
  #connection: Connection | null = null
  #stopLevels = (): void => undefined

  constructor(options: CallOptions) {
    this.#options = options
    this.devices = new Devices(options.quality, {
      onChange: (kind, track) => this.#deviceChanged(kind, track),
      onProblem: (sentence) => this.notify(sentence),
    })
    this.#sound = new Sound((isSoundBlocked) => this.#set({ isSoundBlocked }))
    const events: MeshEvents = {
      send: (to, signal) => this.send({ kind: 'signal', to, signal }),
      onTrack: (track) => this.#trackCame(track),
      onGone: (person) => this.#sound.end(person),
      onError: (error) => console.error('a peer connection could not be built', error),
    }
    this.#mesh = new Mesh(events, options)
  }

  get state(): CallState {
    return this.#state
  }

  get tracks(): readonly RemoteTrack[] {
    return this.#mesh.tracks
  }

  listen(listener: CallListener): void {
    this.#listeners.push(listener)
  }

  join(name: string): void {
    const { bot, lobby } = this.#options
    this.#set({ phase: 'joining' })
    this.#connection = new Connection(this.#options.socketUrl, () => ({ kind: 'join', name, bot, lobby, media: this.devices.state }), {
      onMessage: (message) => this.#receive(message),
      onLost: () => this.#set({ connection: 'lost' }),
      onUp: () => this.#set({ connection: 'up' }),
      onGivenUp: () => this.#end('lost'),
    })
    this.#stopLevels = watchLevels(
      this.#mesh,
      () => (this.#state.media.microphone ? this.#state.self : null),
      (speaking) => this.#set({ speaking }),
    )
  }

  send(message: ClientMessage): void {
    this.#connection?.send(message)
  }

  leave(): void {
    this.#connection?.leave()
    if (this.#state.phase !== 'prejoin') this.#end('left')
  }

  async toggle(kind: MediaKind): Promise<void> {
    await this.devices.set(kind, !this.devices.state[kind])
  }

  unblockSound(): void {
    this.#sound.unblock().catch(() => undefined) // Playback is still blocked, and the button stays.
  }

  /** Shows a notice to the user for a few seconds. */
  notify(notice: string): void {
    this.#set({ notice })
    setTimeout(() => this.#state.notice === notice && this.#set({ notice: null }), NOTICE_MS)
  }

  #receive(message: ServerMessage): void {
    switch (message.kind) {
      case 'hello':
        this.#mesh.iceServers = message.iceServers
        break
      case 'waiting':
        this.#set({ phase: 'waiting', self: message.you })
        break
      case 'entered':
        this.#set({ phase: 'inside', self: message.you, chat: message.chat })
        // Devices may have been switched while disconnected or waiting.
        this.send({ kind: 'media', media: this.devices.state })
        break
      case 'roster':
        this.#mesh.follow(message.people, this.#state.self ?? '', this.devices.tracks)
        this.#set({ people: message.people, waiting: message.waiting })
        break
      case 'signal':
        this.#mesh.accept(message.from, message.signal)
        break
      case 'chat':
        this.#set({ chat: [...this.#state.chat, message.line] })
        break
      case 'problem':
        this.notify(message.detail)
        if (message.problem === 'bad_name') this.#backToTheDoor()
        break
      case 'over':
        this.#end(message.reason === 'seat_unknown' ? 'lost' : message.reason)
        break
      case 'tick':
        break
    }
  }

  #backToTheDoor(): void {
    this.#connection?.leave()
    this.#stopLevels()
    this.#set({ phase: 'prejoin' })
  }

  #end(ending: Ending): void {
    if (this.#state.phase === 'over') return
    this.#stopLevels()
    this.#mesh.close()
    this.devices.close()
    this.#set({ phase: 'over', ending, people: [], waiting: [], speaking: [], connection: 'up', isSoundBlocked: false })
  }

  #deviceChanged(kind: MediaKind, track: MediaStreamTrack | null): void {
    this.#mesh.replace(kind, track)
    const media = this.devices.state
    this.#set({ media })
    if (this.#state.phase === 'inside' || this.#state.phase === 'waiting') this.send({ kind: 'media', media })
  }

  #trackCame(track: RemoteTrack): void {
    if (track.kind === 'microphone' && this.#options.playsSound) this.#sound.play(track)
    for (const listener of this.#listeners) listener.onTrack?.(track)
  }

  #set(facts: Partial<CallState>): void {
    const before = this.#state
    this.#state = { ...before, ...facts }
    for (const listener of this.#listeners) listener.onState?.(this.#state, before)
  }
}
