import { type Attendance, attend } from '../../../src/bot/attendance/session.ts'
import type { MeetingDriver } from '../../../src/bot/drivers/driver.ts'
import type { BotSpec } from '../../../src/domain/bot.ts'
import { next, type Status, type Trigger } from '../../../src/domain/lifecycle.ts'
import type { EntryOutcome, KnockOutcome, MeetingEvent } from '../../../src/domain/meeting.ts'
import type { Platform } from '../../../src/domain/platforms.ts'
import { createQueue } from '../../../src/kit/async-queue.ts'
import { publicErrorOf } from '../../../src/kit/failure.ts'
import { specFor } from '../service/fleet.ts'

export const START = 1_000_000
export const ADA = { id: 'a', name: 'Ada', isHost: true, microphoneOn: true, cameraOn: true }

type Plan = {
  readonly knock?: KnockOutcome | Error
  readonly entry?: EntryOutcome
  readonly spec?: Partial<BotSpec>
  readonly platform?: Platform
}

/** A meeting without incidents and the bot's reports, checked against the lifecycle table. */
export function bench({ knock = { kind: 'asked' }, entry = { kind: 'admitted' }, spec = {}, platform = 'google_meet' }: Plan = {}) {
  const events = createQueue<MeetingEvent>()
  const written: string[] = []
  const moves: { by: Trigger; message?: string; reason?: string }[] = []
  const failures: string[] = []
  const seen: string[] = []
  const story: string[] = []
  let died = false
  let stopMoving = (_words: string): void => undefined
  let now = START
  const driver: MeetingDriver = {
    approach: async () => ({ screen: 'prejoin', rule: '', next: '', leadsIn: true }),
    async knock() {
      if (knock instanceof Error) throw knock
      return knock
    },
    enter: async () => entry,
    events: () => events,
    attendees: () => ({ others: [], at: now }),
    write: async (text) => void written.push(text),
    turn: async () => undefined,
    page: {
      run: async () => undefined,
      touch: async () => undefined,
      get died() {
        return died
      },
      text: async () => 'what the page says',
      complaints: () => [],
      picture: async () => null,
    },
    captions: async () => undefined,
    leave: async () => {
      story.push('left the page')
    },
  }
  const attendance: Attendance = {
    frozen: new Promise((resolve) => {
      stopMoving = resolve
    }),
    arrive: () => undefined,
    begin: async () => void story.push('began'),
    onEvent: () => undefined,
    spokenMs: () => ({}),
    stop: () => void story.push('stopped'),
    lastMediaAt: () => null,
    end: async (reason) => void story.push(`saved: ${reason}`),
  }
  const leaving = new AbortController()
  const done = attend(
    {
      driver,
      chat: driver,
      explain: publicErrorOf,
      attendance,
      spec: specFor('https://meet.google.com/abc-defg-hij', spec),
      now: () => now,
      moved(by, words) {
        moves.push({ by, ...words })
        story.push(by)
      },
      onRoster: () => void seen.push('people'),
      onChat: () => void seen.push('chat'),
      greeting: spec.greeting ?? null,
      greeted: () => undefined,
      failed: async (step, message) => void failures.push(`${step}: ${message}`),
    },
    leaving.signal,
  )
  return {
    events,
    written,
    moves,
    failures,
    seen,
    done,
    story,
    standStill: () => stopMoving('The page has not responded for 8 s'),
    die: () => {
      died = true
      events.push({ kind: 'ended', cause: 'broken', at: START })
    },
    leave: (message: string) => leaving.abort(message),
    pass: (seconds: number) => {
      now += seconds * 1000
    },
    answer: (state: 'allowed' | 'denied' | 'withdrawn') => events.push({ kind: 'recording_permission', state, at: now }),
    people: (...others: (typeof ADA)[]) => events.push({ kind: 'people', others, at: now }),
    path: (): Status[] => {
      const walked: Status[] = ['Joining']
      for (const { by } of moves) {
        const to = next(walked.at(-1) ?? 'new', by, platform)
        if (to) walked.push(to)
      }
      return walked
    },
  }
}
