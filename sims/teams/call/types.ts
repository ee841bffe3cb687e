// The types of the simulated Teams call: its options, its scripted people, and the observations and actions of a test.
import type {
  Call as BasicCall,
  Caption as BasicCaption,
  Person as BasicPerson,
  ScriptedPerson as BasicScriptedPerson,
  Utterance as BasicUtterance,
  ReceivedAudio,
  ReceivedVideo,
  Stretch,
} from '../../webrtc/types.ts'

export type { ReceivedAudio, ReceivedVideo, Stretch }

export type CallOptions = {
  /** Receive sections for cameras, besides the one for a shared screen. */
  readonly videoSlots?: number
  /** The CSRCs of the mixed track. With `none`, only captions show who speaks. */
  readonly contributors?: 'speakers' | 'none'
  /** How long a CSRC stays in the list after its last loud packet: pauses between words do not end a turn. */
  readonly contributorHangMs?: number
  /** `stuck`: one message at the beginning, and no other. */
  readonly dominantSpeakers?: 'live' | 'stuck' | 'none'
  /** A second receive section with the same mixed audio. */
  readonly redundantAudio?: boolean
  /** Speech with a text is captioned, interim result first. */
  readonly autoCaptions?: boolean
}

/** The prefix of a user id is the kind of participant. */
export type ParticipantKind = 'work' | 'personal' | 'guest' | 'visitor' | 'phone' | 'bot'
export type MeetingRole = 'organizer' | 'presenter' | 'attendee'

export type Person = BasicPerson & {
  readonly id?: string
  readonly kind?: ParticipantKind
  readonly role?: MeetingRole
}

export type Caption = BasicCaption & {
  /** `<uuid>@local` is one of several speakers at one room microphone. */
  readonly speakerId?: string
  /** By the wall clock. Default: the time of sending. */
  readonly spoken?: Stretch
}

export type ScriptedPerson = BasicScriptedPerson & {
  readonly id: string
  /** The source id of the audio stream, which is also its CSRC. */
  readonly audioSource: number
  readonly videoSource: number
  readonly screenSource: number
  /** `html` is the content of the message as the chat service carries it. */
  write(html: string): void
  caption(caption: Caption): void
}

export type Speaker = { readonly id: string; readonly name: string }
export type Utterance = BasicUtterance<Speaker>

export type ChatMessage = {
  readonly clientMessageId: string
  readonly from: string
  readonly imDisplayName: string
  readonly content: string
  readonly originalArrivalTime: string
  readonly messageType: string
}

export type Call = BasicCall<Person, ScriptedPerson, ChatMessage, Utterance, string> & {
  /** Items of the chat service that are not messages, such as `ThreadActivity/AddMember`. */
  notify(messageType: string, content: string): void
  /** The video source in each receive section of a visitor, by `x-source-streamid`. */
  subscriptions(visitorId?: string): ReadonlyMap<number, number>
}
