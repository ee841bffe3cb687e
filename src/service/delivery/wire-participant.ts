// Maps a participant to its API fields, for events and for lists.
import type { Participant } from '../../domain/meeting.ts'
import { PLATFORMS, type Platform } from '../../domain/platforms.ts'

export function wireParticipant(platform: Platform, { id, name, isHost, microphoneOn, cameraOn }: Participant) {
  return { id, name, full_name: name, platform: PLATFORMS[platform].wireName, is_host: isHost, mic_on: microphoneOn, camera_on: cameraOn }
}

export function wireTimestamp(entered: Date | null, at: Date) {
  return { relative: secondsSince(entered, at), absolute: at.toISOString() }
}

/** Seconds since the bot entered; 0 before that, or if it never did. */
export function secondsSince(entered: Date | null, at: Date): number {
  return entered ? Math.max(0, (at.getTime() - entered.getTime()) / 1000) : 0
}
