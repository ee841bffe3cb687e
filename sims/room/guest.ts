// A person in the room without a browser: speaks, shows a colour, writes and measures what a bot sends. Guests exchange media with bots only.
import { EventEmitter, once } from 'node:events'
import { Connection } from '../../src/room/page/connection.ts'
import type { ChatLine, ClientMessage, MediaKind, MediaState, PersonView, ServerMessage, WaitingView } from '../../src/room/wire.ts'
import { everyTick } from '../webrtc/clock.ts'
import { clapOf, PACKETS_PER_FRAME, type Picture, pictureOf, SILENCE, type SoundPacket, soundOf, toneOf } from '../webrtc/encode.ts'
import type { Stretch } from '../webrtc/types.ts'
import { Voice } from '../webrtc/voice.ts'
import { GuestPeer, type VideoKind } from './guest-peer.ts'
import { measureLastMoment } from './last-moment.ts'
import type { Voice as AudibleVoice, Sight } from './observations.ts'
import type { Script } from './people.ts'

const CAMERA = { width: 320, height: 180 }
const SCREEN = { width: 640, height: 360 }
const CLAP_MS = 500
/** The patience of a person who looks for a button. */
const APPEARS_WITHIN_MS = 30_000

type Prepared = {
  readonly tone: readonly SoundPacket[] | null
  readonly clap: readonly SoundPacket[]
  readonly camera: Picture
  readonly screen: Picture
  readonly white: Picture
}

export class Guest {
  readonly name: string
  readonly chat: ChatLine[] = []
  /** Every list of people that the room has sent. */
  readonly rosters: (readonly PersonView[])[] = []
  readonly #script: Script
  readonly #prepared: Prepared
  readonly #socketUrl: URL
  readonly #voice: Voice<SoundPacket, object>
  readonly #peers = new Map<string, GuestPeer>()
  readonly #changes = new EventEmitter()
  readonly #stopClock: () => void
  #connection: Connection | null = null
  #self = ''
  #media: MediaState
  #waiting: readonly WaitingView[] = []
  #clapsUntilMs = 0

  static async create(roomUrl: string, script: Script): Promise<Guest> {
    const { colour, shareColour = '#f2d024', tone } = script
    const [camera, screen, white] = await Promise.all([
      pictureOf(colour, CAMERA),
      pictureOf(shareColour, SCREEN),
      pictureOf('#ffffff', CAMERA),
    ])
    const steady = tone === undefined ? null : await toneOf(tone)
    return new Guest(roomUrl, script, { tone: steady, clap: await clapOf(tone ?? 0), camera, screen, white })
  }

  private constructor(roomUrl: string, script: Script, prepared: Prepared) {
    this.name = script.name
    this.#script = script
    this.#prepared = prepared
    this.#socketUrl = new URL(roomUrl)
    this.#socketUrl.pathname += '/socket'
    this.#media = { microphone: true, camera: script.query?.cam !== '0', screen: false }
    this.#voice = new Voice({ speaker: {}, tone: prepared.tone, silence: SILENCE, truth: [], onText: () => undefined }, true)
    this.#stopClock = everyTick(20, (tick, nowMs) => this.#sendMedia(tick, nowMs))
  }

  /** Resolves inside, in the lobby, or when the room refuses. */
  async join(): Promise<void> {
    const first = () =>
      ({ kind: 'join', name: this.name, bot: false, lobby: this.#script.query?.lobby === '1', media: this.#media }) as const
    await new Promise<void>((resolve, reject) => {
      this.#connection = new Connection(this.#socketUrl.href, first, {
        onMessage: (message) => {
          this.#receive(message)
          if (message.kind === 'entered' || message.kind === 'waiting' || message.kind === 'over') resolve()
        },
        onLost: () => undefined,
        onUp: () => undefined,
        onGivenUp: () => reject(new Error(`${this.name} does not reach the room`)),
      })
    })
  }

  mute = () => this.#switch('microphone', false)
  unmute = () => this.#switch('microphone', true)
  startCamera = () => this.#switch('camera', true)
  stopCamera = () => this.#switch('camera', false)
  share = () => this.#switch('screen', true)
  stopSharing = () => this.#switch('screen', false)
  write = (text: string) => this.#send({ kind: 'chat', text })
  endForAll = () => this.#send({ kind: 'end' })

  async decide(kind: 'admit' | 'refuse', name: string): Promise<void> {
    const { id } = await this.#appears(() => this.#waiting.find((it) => it.name === name))
    this.#send({ kind, whom: id })
  }

  async remove(name: string): Promise<void> {
    const { id } = await this.#appears(() => this.#people.find((it) => it.name === name))
    this.#send({ kind: 'remove', whom: id })
  }

  /** Resolves at the end of the speech with its times. */
  async speak(wav: Buffer): Promise<Stretch> {
    return this.#voice.say(await soundOf(wav), undefined)
  }

  /** A clapperboard: video and audio of one moment, to compare recordings with. Returns the moment. */
  clap(): number {
    this.#clapsUntilMs = Date.now() + CLAP_MS
    this.#voice.say(this.#prepared.clap, undefined)
    return Date.now()
  }

  /** The cameras and screens of the others. Only those of bots have colours. */
  sees(): Promise<Sight[]> {
    const sights = this.#people.flatMap(({ id, name, media }) => {
      if (id === this.#self) return []
      const kinds: readonly VideoKind[] = media.screen ? ['camera', 'screen'] : ['camera']
      return kinds.map(async (kind): Promise<Sight> => {
        const picture = media[kind] ? await this.#peers.get(id)?.receivedVideo[kind].look() : null
        return { name, kind, colour: picture?.rgb ?? null }
      })
    })
    return Promise.all(sights)
  }

  /** The voices of bots in the last moment, with the amplitude at each frequency. */
  listen(...frequencies: number[]): Promise<Omit<AudibleVoice, 'hz'>[]> {
    return Promise.all(
      [...this.#peers].map(async ([id, { receivedAudio }]) => {
        const name = this.#people.find((it) => it.id === id)?.name ?? id
        return { name, ...(await measureLastMoment(receivedAudio, frequencies)) }
      }),
    )
  }

  async leave(): Promise<void> {
    this.#connection?.leave()
    this.#connection = null
    await this.#closePeers()
  }

  async stop(): Promise<void> {
    this.#stopClock()
    await this.leave()
  }

  get #people(): readonly PersonView[] {
    return this.rosters.at(-1) ?? []
  }

  #send(message: ClientMessage): void {
    this.#connection?.send(message)
  }

  #switch(kind: MediaKind, on: boolean): void {
    this.#media = { ...this.#media, [kind]: on }
    if (kind === 'microphone' && on) this.#voice.on()
    else if (kind === 'microphone') this.#voice.off()
    this.#send({ kind: 'media', media: this.#media })
  }

  async #appears<Found>(find: () => Found | undefined): Promise<Found> {
    const signal = AbortSignal.timeout(APPEARS_WITHIN_MS)
    for (;;) {
      const found = find()
      if (found) return found
      await once(this.#changes, 'roster', { signal })
    }
  }

  #receive(message: ServerMessage): void {
    if (message.kind === 'entered' || message.kind === 'waiting') this.#self = message.you
    if (message.kind === 'entered') this.#send({ kind: 'media', media: this.#media })
    if (message.kind === 'chat') this.chat.push(message.line)
    if (message.kind === 'roster') this.#follow(message.people, message.waiting)
    if (message.kind === 'signal') this.#report(this.#peers.get(message.from)?.accept(message.signal))
    if (message.kind === 'over') this.#report(this.#closePeers())
  }

  /** The list is in order of entry. The later person of each pair makes the offer. */
  #follow(people: readonly PersonView[], waiting: readonly WaitingView[]): void {
    this.rosters.push(people)
    this.#waiting = waiting
    const ids = people.map(({ id }) => id)
    for (const [id, peer] of this.#peers) if (!ids.includes(id)) this.#report(this.#close(id, peer))
    for (const [index, { id, bot }] of people.entries()) if (bot && !this.#peers.has(id)) this.#meet(id, ids.indexOf(this.#self) > index)
    this.#changes.emit('roster')
  }

  #meet(id: string, offers: boolean): void {
    const peer = new GuestPeer((signal) => this.#send({ kind: 'signal', to: id, signal }))
    this.#peers.set(id, peer)
    if (offers) this.#report(peer.offer())
  }

  async #closePeers(): Promise<void> {
    await Promise.all([...this.#peers].map(([id, peer]) => this.#close(id, peer)))
  }

  async #close(id: string, peer: GuestPeer): Promise<void> {
    this.#peers.delete(id)
    await peer.close()
  }

  #report(step: Promise<void> | undefined): void {
    step?.catch((error: unknown) => console.error(`${this.name}: the connection to a bot failed`, error))
  }

  /** A muted microphone sends silence, as a browser does. */
  #sendMedia(tick: number, nowMs: number): void {
    const packet = this.#voice.next(nowMs) ?? SILENCE
    const { camera, screen, white } = this.#prepared
    const isFrameDue = tick % PACKETS_PER_FRAME === 0
    for (const peer of this.#peers.values()) {
      peer.sendAudio(tick, packet)
      if (this.#media.camera && isFrameDue) peer.sendVideo(tick, 'camera', nowMs < this.#clapsUntilMs ? white : camera)
      if (this.#media.screen && isFrameDue) peer.sendVideo(tick, 'screen', screen)
    }
  }
}

export type Guests = {
  readonly people: readonly Guest[]
  named(name: string): Guest
  stop(): Promise<void>
}

/** They join on request. */
export async function inviteGuests(roomUrl: string, scripts: readonly Script[]): Promise<Guests> {
  const people = await Promise.all(scripts.map((script) => Guest.create(roomUrl, script)))
  return {
    people,
    named(name) {
      const person = people.find((it) => it.name === name)
      if (!person) throw new Error(`No guest is called ${name}`)
      return person
    },
    stop: async () => void (await Promise.all(people.map((it) => it.stop()))),
  }
}
