// Types of the media that simulated calls send and receive.

export type PictureSize = { readonly width: number; readonly height: number }

/** By the wall clock: `Date.now()` of the first packet and of the end of the last one. */
export type Stretch = { readonly fromMs: number; readonly toMs: number }

/** The audio of a visitor. Levels are dB below full scale, 0 to 127, from its packets. */
export type ReceivedAudio = {
  readonly packets: readonly { readonly atMs: number; readonly level: number | null; readonly opus: Buffer }[]
  /** The tone between two wall clock times, or null if nothing was received. */
  tone(fromMs?: number, toMs?: number): Promise<{ readonly hz: number; readonly amplitude: number } | null>
}

/** The video of a visitor. */
export type ReceivedVideo = {
  readonly frames: number
  readonly keyFrames: number
  readonly lastFrameAtMs: number | null
  /** Of the current frame, or null before the first one. */
  look(): Promise<(PictureSize & { readonly rgb: readonly [number, number, number] }) | null>
}

/** Continuous speech of one person. */
export type Utterance<Speaker> = Stretch & Speaker & { readonly text?: string }

/** A person under the control of a test. Colours in ffmpeg's notation: a name, or `#rrggbb`. */
export type Person = {
  readonly name: string
  /** A steady tone in hertz that sounds whenever the microphone is on. */
  readonly voice?: number
  /** With a colour, the camera is on from the start. */
  readonly colour?: string
  readonly muted?: boolean
}

export type Caption = {
  readonly text: string
  readonly final?: boolean
  /** An equal id replaces an interim result. Default: a new id. */
  readonly captionId?: string
}

export type ScriptedPerson = {
  readonly name: string
  /** Resolves when the last packet was sent, or when the person is muted or leaves. `text` is for the ground truth and captions. */
  say(wav: Buffer, text?: string): Promise<Stretch>
  mute(): void
  unmute(): void
  startCamera(colour: string): Promise<void>
  stopCamera(): void
  share(colour: string): Promise<void>
  stopSharing(): void
  rename(name: string): void
  leave(): void
}

/** What a test does in a simulated call, and observes. */
export type Call<Someone, Scripted, Message, Spoken, VisitorId> = {
  /** Resolves when the scripted person has joined, with encoded voice and video. */
  join(person: Someone): Promise<Scripted>
  chat(): readonly Message[]
  /** The media that the given visitor sends, by default the latest. */
  receivedAudio(visitorId?: VisitorId): ReceivedAudio
  receivedVideo(visitorId?: VisitorId): ReceivedVideo
  truth(): readonly Spoken[]
}
