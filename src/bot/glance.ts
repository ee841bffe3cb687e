// What a page sees of a bot that it watches: how loud each participant is, and the last lines. Sound is decoded for it only while somebody looks.
import type { MeetingEvent, Participant } from '../domain/meeting.ts'
import type { Glance } from '../domain/protocol.ts'

/** A page looks more often than this. */
const WATCHED_MS = 5_000
/** Audio comes in batches, so a level stands for as long as the next one may take. */
const LEVEL_MS = 600
const MOST_LINES = 30
/** The level 0, in decibels below the loudest sound. */
const QUIETEST_DB = -60
/** Of a participant whom the platform says to speak, where the sound itself cannot be heard. */
const SPEAKING = 0.5

type Line = { readonly participantId: string; readonly name: string; readonly text: string }

export type Glancing = {
  /** Whether somebody looked a moment ago. */
  isWatched(): boolean
  see(event: MeetingEvent): void
  /** Sound of 20 ms; null where the speaker is unknown. */
  hear(speakerId: string | null, pcm: Int16Array): void
  said(line: Line): void
  /** `isTaken`: the recording runs. Nothing is shown of what is not recorded. */
  look(isTaken: boolean): Glance
}

export function createGlance(now: () => number): Glancing {
  let lookedAt = Number.NEGATIVE_INFINITY
  let people: readonly Participant[] = []
  let speakers: readonly string[] = []
  let said = 0
  const peaks = new Map<string, { readonly level: number; readonly at: number }>()
  const lines: Glance['lines'][number][] = []

  function peakOf(id: string): number {
    const peak = peaks.get(id)
    return peak && now() - peak.at <= LEVEL_MS ? peak.level : 0
  }

  return {
    isWatched: () => now() - lookedAt < WATCHED_MS,
    see(event) {
      if (event.kind === 'people') people = event.others
      if (event.kind === 'voice') speakers = event.speakers
    },
    hear(speakerId, pcm) {
      const level = levelOf(pcm)
      for (const id of speakerId === null ? speakers : [speakerId]) if (level >= peakOf(id)) peaks.set(id, { level, at: now() })
    },
    said({ participantId, name, text }) {
      said += 1
      lines.push({ id: said, speakerId: participantId, name, text, at: now() })
      if (lines.length > MOST_LINES) lines.shift()
    },
    look(isTaken) {
      lookedAt = now()
      const level = (id: string) => peakOf(id) || (speakers.includes(id) ? SPEAKING : 0)
      return { levels: isTaken ? people.map(({ id, name }) => ({ speakerId: id, name, level: level(id) })) : [], lines: [...lines] }
    },
  }
}

function levelOf(pcm: Int16Array): number {
  const power = pcm.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, pcm.length)
  const decibels = 10 * Math.log10(power / 32_768 ** 2)
  return Math.min(1, Math.max(0, 1 - decibels / QUIETEST_DB))
}
