// The words of the media half of the simulated Google Meet: what a space is made with, and what can be asked of it.
import type { Heard, PictureSize, Seen, Stretch } from '../../webrtc/types.ts'

/** Whether and when the page is told: in so many milliseconds, or never. Different delays bring notes out of order. */
export type NoteDelay = (note: Note) => number | null

/** One thing that the `collections` channel tells about somebody. */
export type Note = { readonly about: 'user' | 'audio' | 'video' | 'chat'; readonly deviceId: string; readonly name: string }

export type SpaceOptions = {
  /** Receive tracks for sound; the real ones are three. */
  readonly lanes?: number
  /** Camera pictures shown at a time, besides the one slot for a presentation. */
  readonly videoSlots?: number
  /** Every so often each speaker sits in another lane. Never, if it is not given. */
  readonly switchLanesEveryMs?: number
  /** Sound as `audio/red` with one earlier packet in it, where the page offers that. */
  readonly red?: boolean
  /** Whoever is silent sends nothing, instead of packets of silence. */
  readonly dtx?: boolean
  /** The contributing sources of a packet, which may be none, several, or 42; `[own]`, if it is not given. */
  readonly sources?: (own: number, packetIndex: number) => readonly number[]
  /** Who opens the channel `collections`; the server, if it is not given. */
  readonly collectionsBy?: 'server' | 'page'
  /** At once, if it is not given. */
  readonly delay?: NoteDelay
  /** How long somebody who has left still stands in the Sync reply as being there. */
  readonly syncLagMs?: number
  /** What stands in the Sync reply after that lag: no entry any more, or one that says so. */
  readonly afterLeaving?: 'missing' | 'told'
}

/** Colours are those of ffmpeg: a name, or `#rrggbb`. */
export type Person = {
  readonly name: string
  readonly displayName?: string
  readonly host?: boolean
  readonly picture?: string
  /** Heard whenever the microphone is on: a tone of so many hertz, or a WAV file, again and again. */
  readonly voice?: number | Buffer
  /** With one, the camera is on from the beginning. */
  readonly colour?: string
  /** The microphone is on from the beginning, unless this says so. */
  readonly muted?: boolean
}

export type Caption = {
  readonly text: string
  /** The same number replaces what was shown before; a new one each time, if it is not given. */
  readonly captionId?: number
  readonly version?: number
  readonly final?: boolean
  readonly languageId?: number
}

export type ScriptedPerson = {
  readonly name: string
  readonly deviceId: string
  /** The contributing source of this person's packets just now. */
  source(): number
  /** Settles when the last packet has been sent, or when the person is muted or gone; one utterance follows the other. `text` is for the truth. */
  say(wav: Buffer, text?: string): Promise<Stretch>
  mute(): void
  /** With `true` as somebody new to the lanes; with a number, as that source, which may have been another's. */
  unmute(how?: { readonly newSource?: true | number }): void
  startCamera(colour: string): Promise<void>
  stopCamera(): void
  /** As if the server had passed to another layer of a simulcast. */
  resize(size: PictureSize): Promise<void>
  /** Answers the device id of the presentation, which is a "user" of its own. */
  share(colour: string): Promise<string>
  stopSharing(): void
  write(text: string): void
  caption(caption: Caption): void
  leave(): void
}

export type Visitor = {
  readonly name: string
  /** One of `newDeviceId()`. A known one connects that visitor anew. */
  readonly deviceId?: string
  readonly picture?: string
}

export type Utterance = Stretch & {
  readonly deviceId: string
  readonly name: string
  readonly text?: string
  /** Where it was heard; empty while three louder ones had the lanes. */
  readonly lanes: readonly { readonly lane: number; readonly fromMs: number }[]
}

export type ChatLine = {
  readonly id: string
  readonly deviceId: string
  readonly name: string
  readonly text: string
  readonly atMs: number
}

export type MeetSpace = {
  /** The opaque part of `spaces/<opaque>/devices/<n>`. */
  readonly id: string
  /** A scripted person comes in, as soon as voice and picture are encoded. */
  join(person: Person): Promise<ScriptedPerson>
  /** For somebody who knocks and is not in yet. */
  newDeviceId(): string
  /** A browser comes in: its offer, our answer. Candidates are in both; none trickle. */
  offer(sdp: string, visitor: Visitor): Promise<string>
  /** Which visitors are in, the latest one last. */
  visitors(): readonly string[]
  /** Somebody, a person or a visitor, is put out: status 7. */
  remove(deviceId: string): void
  /** A visitor went by itself: status 6. */
  visitorLeft(deviceId: string): void
  /** A visitor's connection goes without a word, as when a network fails; `offer` with the same device id brings it back. */
  disconnect(deviceId: string): void
  /** The body of the Sync reply, as that visitor gets it; without one, nobody is told to be the local user. */
  syncReply(deviceId?: string): string
  /** A line that the visitor wrote in its page; the latest visitor, if none is named. Everybody is told, the writer too. */
  chatFromBot(text: string, deviceId?: string): void
  chat(): readonly ChatLine[]
  /** Of the latest visitor, if none is named. */
  heard(deviceId?: string): Heard
  seen(deviceId?: string): Seen
  truth(): readonly Utterance[]
  close(): Promise<void>
}
