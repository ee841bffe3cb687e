// The media streams of participants: their current content, and the ids that name their owner.
import { randomBytes } from 'node:crypto'
import type { Picture, SoundPacket } from '../../webrtc/encode.ts'

/** `mix`: the audio of all people. */
export type StreamKind = 'audio' | 'camera' | 'share' | 'mix'

/** A stream as it is announced to a page. The id of its MediaStream begins with the raw id, except that of the mix. */
export type StreamNote = { readonly id: string; readonly kind: StreamKind; readonly rawId: number; readonly userId: number }

export type Stream = StreamNote & {
  sound: (SoundPacket & { readonly samples?: Int16Array }) | null
  picture: Picture | null
}

/** User ids are multiples of this. The lower bits number a user's streams. */
export const ID_STEP = 1_024

const LOW_BITS: Readonly<Record<StreamKind, number>> = { audio: 2, camera: 0, share: 1, mix: 0 }

export function newStream(userId: number, kind: StreamKind): Stream {
  const rawId = userId + LOW_BITS[kind]
  return { id: `${rawId}+CS+${randomBytes(6).toString('hex')}`, kind, rawId, userId, sound: null, picture: null }
}

/** The mix belongs to no user. */
export function newMix(): Stream {
  return { id: `mixed-${randomBytes(8).toString('hex')}`, kind: 'mix', rawId: 0, userId: 0, sound: null, picture: null }
}

export function noteOf({ id, kind, rawId, userId }: Stream): StreamNote {
  return { id, kind, rawId, userId }
}
