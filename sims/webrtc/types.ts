// What simulated calls say of what they sent and what came.

export type PictureSize = { readonly width: number; readonly height: number }

/** By the wall clock: `Date.now()` of the first packet and of the moment after the last one. */
export type Stretch = { readonly fromMs: number; readonly toMs: number }

/** What a visitor has sent of sound. Levels are dB below full scale, 0 to 127, as its packets say. */
export type Heard = {
  readonly packets: readonly { readonly atMs: number; readonly level: number | null; readonly opus: Buffer }[]
  /** Of what came between the two times of the wall clock; null, if that was nothing. */
  tone(fromMs?: number, toMs?: number): Promise<{ readonly hz: number; readonly amplitude: number } | null>
}

/** What a visitor has sent of pictures. */
export type Seen = {
  readonly frames: number
  readonly keyFrames: number
  readonly lastFrameAtMs: number | null
  /** Of the picture that is shown just now; null, if there is none yet. */
  look(): Promise<(PictureSize & { readonly rgb: readonly [number, number, number] }) | null>
}
