// A person of a meeting in the words of the wire, the same in events and in the list of them.
import type { Participant } from '../../domain/meeting.ts'
import { PLATFORMS, type Platform } from '../../domain/platforms.ts'

export function wireParticipant(platform: Platform, { id, name, isHost, microphoneOn, cameraOn }: Participant) {
  return {
    ...{ id, name, full_name: name, platform: PLATFORMS[platform].wireName },
    ...{ is_host: isHost, mic_on: microphoneOn, camera_on: cameraOn },
  }
}

export function wireTimestamp(entered: Date | null, at: Date) {
  return { relative: secondsSince(entered, at), absolute: at.toISOString() }
}

/** Seconds since the bot came in; 0 for what was before, or while it never was. */
export function secondsSince(entered: Date | null, at: Date): number {
  return entered ? Math.max(0, (at.getTime() - entered.getTime()) / 1000) : 0
}
