// The types of the simulated Teams call: its options, its scripted people, and what a test can ask of it.
import type { Heard, Seen, Stretch } from '../../webrtc/types.ts'

export type { Heard, Seen, Stretch }

export type CallOptions = {
  /** Receive sections for cameras, besides the one for a shared screen. */
  readonly videoSlots?: number
  /** The CSRCs of the mixed track. `none` is the variant in which captions are the only sign of who speaks. */
  readonly contributors?: 'speakers' | 'none'
  /** How long a CSRC stays in the list after its last loud packet: pauses between words do not end a turn. */
  readonly contributorHangMs?: number
  /** `stuck`: one message at the beginning, and never another. */
  readonly dominantSpeakers?: 'live' | 'stuck' | 'none'
  /** A second receive section with the same mixed sound. */
  readonly redundantAudio?: boolean
  /** Whatever is said with a text is captioned, interim result first. */
  readonly autoCaptions?: boolean
}

/** The prefix of a user id tells what kind of participant it is. */
export type ParticipantKind = 'work' | 'personal' | 'guest' | 'visitor' | 'phone' | 'bot'
export type MeetingRole = 'organizer' | 'presenter' | 'attendee'

/** Colours are those of ffmpeg: a name, or `#rrggbb`. */
export type Person = {
  readonly name: string
  readonly id?: string
  readonly kind?: ParticipantKind
  readonly role?: MeetingRole
  /** A steady tone of so many hertz, heard whenever the microphone is on. */
  readonly voice?: number
  /** With a colour, the camera is on from the beginning. */
  readonly colour?: string
  readonly muted?: boolean
}

export type Caption = {
  readonly text: string
  readonly final?: boolean
  /** The same id replaces an interim result. A new one each time, if it is not given. */
  readonly captionId?: string
  /** `<uuid>@local` is somebody whom Teams told apart behind one room microphone. */
  readonly speakerId?: string
  /** By the wall clock; the time of sending, if it is not given. */
  readonly spoken?: Stretch
}

export type ScriptedPerson = {
  readonly name: string
  readonly id: string
  /** The source id of the audio stream, which is also its CSRC. */
  readonly audioSource: number
  readonly videoSource: number
  /** Settles when the last packet was mixed, or when the person is muted or gone. `text` is for the truth and for captions. */
  say(wav: Buffer, text?: string): Promise<Stretch>
  mute(): void
  unmute(): void
  startCamera(colour: string): Promise<void>
  stopCamera(): void
  /** Answers the source id of the shared screen. */
  share(colour: string): Promise<number>
  stopSharing(): void
  /** `html` is the content of the message as the chat service carries it. */
  write(html: string): void
  caption(caption: Caption): void
  rename(name: string): void
  leave(): void
}

export type Utterance = Stretch & { readonly id: string; readonly name: string; readonly text?: string }

export type ChatMessage = {
  readonly clientMessageId: string
  readonly from: string
  readonly imDisplayName: string
  readonly content: string
  readonly originalArrivalTime: string
  readonly messageType: string
}

export type Call = {
  /** A scripted person comes in, as soon as voice and picture are encoded. */
  join(person: Person): Promise<ScriptedPerson>
  chat(): readonly ChatMessage[]
  /** What the chat service sends besides messages of people, such as `ThreadActivity/AddMember`. */
  notify(messageType: string, content: string): void
  /** What the latest visitor sends, unless one is named. */
  heard(visitorId?: string): Heard
  seen(visitorId?: string): Seen
  /** Which video source each receive section of a visitor shows, by `x-source-streamid`. */
  subscriptions(visitorId?: string): ReadonlyMap<number, number>
  truth(): readonly Utterance[]
}
