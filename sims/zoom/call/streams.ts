// The media streams of people: what each carries just now, and the ids by which a page tells whose it is.
import { randomBytes } from 'node:crypto'
import type { Picture, SoundPacket } from '../../webrtc/encode.ts'

export type StreamKind = 'audio' | 'camera' | 'share'

/** As a page learns of it. The id of its MediaStream begins with the raw id. */
export type StreamNote = { readonly id: string; readonly kind: StreamKind; readonly rawId: number; readonly userId: number }

export type Stream = StreamNote & {
  sound: SoundPacket | null
  picture: Picture | null
}

/** Ids of people are multiples of this; the bits below tell their streams apart. */
export const ID_STEP = 1_024

const LOW_BITS: Readonly<Record<StreamKind, number>> = { audio: 2, camera: 0, share: 1 }

export function newStream(userId: number, kind: StreamKind): Stream {
  const rawId = userId + LOW_BITS[kind]
  return { id: `${rawId}+CS+${randomBytes(6).toString('hex')}`, kind, rawId, userId, sound: null, picture: null }
}

export function noteOf({ id, kind, rawId, userId }: Stream): StreamNote {
  return { id, kind, rawId, userId }
}
