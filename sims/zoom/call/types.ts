// The types of the simulated Zoom call and its scripted people.
import type { SoundPacket } from '../../webrtc/encode.ts'
import type {
  Call as BasicCall,
  Person as BasicPerson,
  ScriptedPerson as BasicScriptedPerson,
  Utterance as BasicUtterance,
  Caption,
  ReceivedAudio,
  ReceivedVideo,
  Stretch,
} from '../../webrtc/types.ts'

export type { Caption, ReceivedAudio, ReceivedVideo, Stretch }

export type Person = BasicPerson & {
  readonly host?: boolean
  readonly coHost?: boolean
  /** In the list as an app: `bBotUser`. */
  readonly bot?: boolean
}

export type ScriptedPerson = BasicScriptedPerson & {
  /** A multiple of 1,024. */
  readonly userId: number
  write(text: string): void
  caption(caption: Caption): void
  /** Makes the person the host, or an ordinary participant. */
  setHost(isHost: boolean): void
}

/** An Opus packet, and its samples for the mix. */
export type Sound = SoundPacket & { readonly samples: Int16Array }

export type Speaker = { readonly userId: number; readonly name: string }
export type Utterance = BasicUtterance<Speaker>

export type ChatMessage = {
  readonly msgId: string
  readonly senderId: number
  readonly senderName: string
  /** 0 is everybody. */
  readonly receiverId: number
  readonly text: string
  readonly atMs: number
}

export type Call = BasicCall<Person, ScriptedPerson, ChatMessage, Utterance, number>
