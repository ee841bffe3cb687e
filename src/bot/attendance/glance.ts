// The dashboard's live view of a running bot: the level of each participant, and the last lines. Audio is decoded for it only while a page watches.
import type { MeetingEvent, Participant } from '../../domain/meeting.ts'
import type { Glance } from '../../domain/protocol.ts'

/** A page that watches asks more often than this. */
const WATCHED_MS = 5_000
/** Audio comes in batches, so a level is kept until the next batch. */
const LEVEL_MS = 600
const MOST_LINES = 30
/** The decibels of level 0, relative to full scale. */
const QUIETEST_DB = -60
/** The level of a participant who speaks by the platform's report, without audio of their own. */
const SPEAKING = 0.5

type Line = { readonly participantId: string; readonly name: string; readonly text: string }

export type GlanceSource = ReturnType<typeof createGlance>

export function createGlance(now: () => number) {
  let askedAt = Number.NEGATIVE_INFINITY
  let people: readonly Participant[] = []
  let speakers: readonly string[] = []
  let lineCount = 0
  const peaks = new Map<string, { readonly level: number; readonly at: number }>()
  const lines: Glance['lines'][number][] = []

  function peakOf(id: string): number {
    const peak = peaks.get(id)
    return peak && now() - peak.at <= LEVEL_MS ? peak.level : 0
  }

  return {
    /** True if a page asked a moment ago. */
    isWatched: () => now() - askedAt < WATCHED_MS,
    onEvent(event: MeetingEvent): void {
      if (event.kind === 'people') people = event.others
      if (event.kind === 'voice') speakers = event.speakers
    },
    /** 20 ms of audio; the speaker is null while unknown. */
    onAudio(speakerId: string | null, pcm: Int16Array): void {
      const level = levelOf(pcm)
      for (const id of speakerId === null ? speakers : [speakerId]) if (level >= peakOf(id)) peaks.set(id, { level, at: now() })
    },
    addLine({ participantId, name, text }: Line): void {
      lineCount += 1
      lines.push({ id: lineCount, speakerId: participantId, name, text, at: now() })
      if (lines.length > MOST_LINES) lines.shift()
    },
    /** Shows no levels unless the recording runs. */
    snapshot(isRecording: boolean): Glance {
      askedAt = now()
      const level = (id: string) => peakOf(id) || (speakers.includes(id) ? SPEAKING : 0)
      return { levels: isRecording ? people.map(({ id, name }) => ({ speakerId: id, name, level: level(id) })) : [], lines: [...lines] }
    },
  }
}

function levelOf(pcm: Int16Array): number {
  const power = pcm.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, pcm.length)
  const decibels = 10 * Math.log10(power / 32_768 ** 2)
  return Math.min(1, Math.max(0, 1 - decibels / QUIETEST_DB))
}
