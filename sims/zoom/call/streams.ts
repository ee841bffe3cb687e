// The media streams of participants: their current content, and the ids that name their owner.
import { randomBytes } from 'node:crypto'
import type { Picture, SoundPacket } from '../../webrtc/encode.ts'

export type StreamKind = 'audio' | 'camera' | 'share'

/** A stream as it is announced to a page. The id of its MediaStream begins with the raw id. */
export type StreamNote = { readonly id: string; readonly kind: StreamKind; readonly rawId: number; readonly userId: number }

export type Stream = StreamNote & {
  sound: SoundPacket | null
  picture: Picture | null
}

/** User ids are multiples of this. The lower bits number a user's streams. */
export const ID_STEP = 1_024

const LOW_BITS: Readonly<Record<StreamKind, number>> = { audio: 2, camera: 0, share: 1 }

export function newStream(userId: number, kind: StreamKind): Stream {
  const rawId = userId + LOW_BITS[kind]
  return { id: `${rawId}+CS+${randomBytes(6).toString('hex')}`, kind, rawId, userId, sound: null, picture: null }
}

export function noteOf({ id, kind, rawId, userId }: Stream): StreamNote {
  return { id, kind, rawId, userId }
}
