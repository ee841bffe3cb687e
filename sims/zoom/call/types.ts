// The types of the simulated Zoom call: its scripted people, and what a test can ask of it.
import type { Heard, Seen, Stretch } from '../../webrtc/types.ts'

export type { Heard, Seen, Stretch }

/** Colours are those of ffmpeg: a name, or `#rrggbb`. */
export type Person = {
  readonly name: string
  readonly host?: boolean
  readonly coHost?: boolean
  /** In the list as an app: `bBotUser`. */
  readonly bot?: boolean
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
}

export type ScriptedPerson = {
  readonly name: string
  /** A multiple of 1,024. */
  readonly userId: number
  /** Settles when the last packet was sent, or when the person is muted or gone. `text` is for the truth and for captions. */
  say(wav: Buffer, text?: string): Promise<Stretch>
  mute(): void
  unmute(): void
  startCamera(colour: string): Promise<void>
  stopCamera(): void
  share(colour: string): Promise<void>
  stopSharing(): void
  write(text: string): void
  caption(caption: Caption): void
  rename(name: string): void
  /** Becomes the host, or is the host no longer. */
  setHost(isHost: boolean): void
  leave(): void
}

export type Utterance = Stretch & { readonly userId: number; readonly name: string; readonly text?: string }

export type ChatMessage = {
  readonly msgId: string
  readonly senderId: number
  readonly senderName: string
  /** 0 is everybody. */
  readonly receiverId: number
  readonly text: string
  readonly atMs: number
}

export type Call = {
  /** A scripted person comes in, as soon as voice and picture are encoded. */
  join(person: Person): Promise<ScriptedPerson>
  chat(): readonly ChatMessage[]
  /** What the latest visitor sends, unless one is named. */
  heard(userId?: number): Heard
  seen(userId?: number): Seen
  truth(): readonly Utterance[]
}
