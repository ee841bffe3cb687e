// Types of the media part of the simulated Google Meet: its options, and the actions of a test.
import type { PictureSize, ReceivedAudio, ReceivedVideo, Stretch } from '../../webrtc/types.ts'

/** When a note is sent to the page: after this many milliseconds, or never for null. Different delays reorder notes. */
export type NoteDelay = (note: Note) => number | null

/** One entry of the `collections` channel about a device. */
export type Note = { readonly about: 'user' | 'audio' | 'video' | 'chat'; readonly deviceId: string; readonly name: string }

export type SpaceOptions = {
  /** Audio receive tracks. The real Meet has three. */
  readonly lanes?: number
  /** Camera slots, besides the one slot for a presentation. */
  readonly videoSlots?: number
  /** Moves each speaker to another lane after this time. Default: never. */
  readonly switchLanesEveryMs?: number
  /** Audio as `audio/red` with the previous packet, if the page offers that. */
  readonly red?: boolean
  /** Silent people send nothing, instead of packets of silence. */
  readonly dtx?: boolean
  /** The CSRCs of a packet, which may be none, several, or 42. Default: `[own]`. */
  readonly sources?: (own: number, packetIndex: number) => readonly number[]
  /** How a record of `dcrpc` names its speaker. Default: by the stream id alone, as most live records do. `nothing`: no records are sent. */
  readonly speakersBy?: 'stream' | 'device and stream' | 'nothing'
  /** Where device outputs stand in `collections`. Default: `usual`, at 3.2. */
  readonly outputsAt?: OutputsAt
  /** Whom the device outputs of audio name. Default: each its owner. `one`: all name the first device of the space, while the page's tiles show the owners. */
  readonly outputsName?: 'owners' | 'one'
  /** Which side opens the channel `collections`. Default: the server. */
  readonly collectionsBy?: 'server' | 'page'
  /** Default: at once. */
  readonly delay?: NoteDelay
  /** How long a person who left stays in the Sync reply as present. */
  readonly syncLagMs?: number
  /** After that lag, the entry is missing or marked as left. */
  readonly afterLeaving?: 'missing' | 'told'
}

/** At 3.2, one level deeper, at 3.5, or at 5.2. */
type Place = 'usual' | 'deeper' | 'beside' | 'elsewhere'

/** `anywhere`: each device at another of these places. */
export type OutputsAt = Place | 'anywhere'

/** Colours in ffmpeg's notation: a name, or `#rrggbb`. */
export type Person = {
  readonly name: string
  readonly displayName?: string
  readonly host?: boolean
  readonly picture?: string
  /** Sounds whenever the microphone is on: a tone in hertz, or a WAV file in a loop. */
  readonly voice?: number | Buffer
  /** With a colour, the camera is on from the start. */
  readonly colour?: string
  /** True: the microphone is off at the start. */
  readonly muted?: boolean
  /** True: no device output has this person's audio. Only the page's tile shows its source. */
  readonly unlisted?: boolean
  /** People in the same room have one source: their devices are merged. Every device output of the room names it. */
  readonly room?: string
}

export type Caption = {
  readonly text: string
  /** An equal number replaces the earlier caption. Default: a new number. */
  readonly captionId?: number
  readonly version?: number
  readonly final?: boolean
  readonly languageId?: number
}

export type ScriptedPerson = {
  readonly name: string
  readonly deviceId: string
  /** The current CSRC of this person. */
  source(): number
  /** Resolves when the last packet was sent, or when the person is muted or leaves. Utterances are queued. `text` is for the ground truth. */
  say(wav: Buffer, text?: string): Promise<Stretch>
  mute(): void
  /** `true`: with a new CSRC. A number: with that CSRC, which may have been another person's. */
  unmute(how?: { readonly newSource?: true | number }): void
  startCamera(colour: string): Promise<void>
  stopCamera(): void
  /** As if the SFU had switched to another simulcast layer. */
  resize(size: PictureSize): Promise<void>
  /** Returns the device id of the presentation, which is a "user" of its own. */
  share(colour: string): Promise<string>
  stopSharing(): void
  write(text: string): void
  caption(caption: Caption): void
  leave(): void
}

export type Visitor = {
  readonly name: string
  /** One of `newDeviceId()`. A known one reconnects that visitor. */
  readonly deviceId?: string
  readonly picture?: string
}

export type Utterance = Stretch & {
  readonly deviceId: string
  readonly name: string
  readonly text?: string
  /** The lanes that carried it; empty while three louder speakers had them. */
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
  /** For a visitor who has asked to join and is not admitted. */
  newDeviceId(): string
  /** A browser joins: its offer, our answer. Both contain all candidates, without trickling. */
  offer(sdp: string, visitor: Visitor): Promise<string>
  /** The present visitors, the latest one last. */
  visitors(): readonly string[]
  /** Removes a person or a visitor: status 7. */
  remove(deviceId: string): void
  /** A visitor left on its own: status 6. */
  visitorLeft(deviceId: string): void
  /** Drops a visitor's connection without a message, as a failing network does. `offer` with the same device id reconnects it. */
  disconnect(deviceId: string): void
  /** The body of the Sync reply for that visitor. Without one, no entry is the local user. */
  syncReply(deviceId?: string): string
  /** A chat line that the visitor wrote, by default the latest one. It is sent to everybody, also to its author. */
  chatFromBot(text: string, deviceId?: string): void
  chat(): readonly ChatLine[]
  /** Of the latest visitor by default. */
  receivedAudio(deviceId?: string): ReceivedAudio
  receivedVideo(deviceId?: string): ReceivedVideo
  truth(): readonly Utterance[]
  close(): Promise<void>
}
