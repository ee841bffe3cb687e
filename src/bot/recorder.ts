// What is taken of a meeting: the recording, its sound and words while it runs, and pictures. Nothing before `begin`, nothing after `stop`.
import type { MeetingEvent, Roster } from '../domain/meeting.ts'
import { hasCommand } from '../domain/platforms.ts'
import type { Glance } from '../domain/protocol.ts'
import { Failure } from '../kit/failure.ts'
import type { Capture } from './capture/capture.ts'
import type { Span } from './capture/speech.ts'
import { createGlance, type Glancing } from './glance.ts'
import type { Speaker } from './live/audio-frame.ts'
import { type Listeners, type ListenerTools, openListeners } from './live/listeners.ts'
import type { Screenshots } from './screenshots.ts'
import { createSpeakingClock } from './speaking.ts'

type RecorderTools = ListenerTools & { readonly screenshots: Pick<Screenshots, 'everyMinute' | 'stop'> }

export type Recorder = {
  /** Settles when the recording runs. */
  begin(): Promise<void>
  /** Settles once the recording runs. Rejects while it is not allowed to. */
  whenBegun(): Promise<void>
  see(event: MeetingEvent): void
  /** Decoded sound, 20 ms of it; null where the speaker is unknown. */
  hear(speaker: Speaker | null, pcm: Int16Array, atMs: number): void
  spokenMs(): Roster['spokenMs']
  isWatched: Glancing['isWatched']
  glance(): Glance
  pause(): void
  resume(): void
  stop(): void
  /** Everything taken is safe when this settles. */
  end(reason: string): Promise<void>
}

export function createRecorder(tools: RecorderTools): Recorder {
  const { orders, capture, screenshots, now, report } = tools
  const { botId, fence } = orders
  const speaking = createSpeakingClock(now)
  const glance = createGlance(now)
  let listeners: Listeners | null = null
  let begun: Promise<void> | null = null
  let isStopped = false

  async function begin(): Promise<void> {
    const at = await capture.begin()
    // The bot was removed, or the permission withdrawn, while the recording was being opened.
    if (isStopped) return
    // The moment that is in the recording itself: another reading of the clocks would differ from it by what came between.
    report({ kind: 'recording', botId, fence, at })
    listeners = openListeners({ ...tools, capture: shownTo(glance, capture) })
    if (capture.health().paused) for (const it of [listeners, speaking]) it.pause()
    if (hasCommand(orders.spec.meeting.platform, 'take_screenshot')) screenshots.everyMinute()
  }

  /** In the platform's clock, which is taken for this machine's. */
  function spoke(participantId: string, { fromMs, toMs }: Span): void {
    const zeroMs = now() - capture.nowMs()
    speaking.add(participantId, toMs - fromMs)
    capture.spoke(participantId, { fromMs: fromMs - zeroMs, toMs: toMs - zeroMs })
  }

  return {
    begin() {
      begun ??= begin()
      return begun
    },
    async whenBegun() {
      if (!begun) throw new Failure('not_recording', 'The bot is not recording: the host has not allowed it yet.')
      await begun
    },
    see(event) {
      glance.see(event)
      if (event.kind === 'voice' && begun) speaking.hear(event.speakers, event.at)
      if (event.kind === 'caption') listeners?.see(event)
      if (event.kind === 'caption' && event.final && event.spoken && begun) spoke(event.from, event.spoken)
    },
    hear(speaker, pcm, atMs) {
      if (glance.isWatched()) glance.hear(speaker?.id ?? null, pcm)
      listeners?.hear(speaker, pcm, atMs)
    },
    isWatched: glance.isWatched,
    glance: () => glance.look(listeners !== null && !isStopped && !capture.health().paused),
    spokenMs: () => speaking.totals(),
    pause() {
      for (const it of [capture, listeners, speaking]) it?.pause()
    },
    resume() {
      for (const it of [capture, listeners, speaking]) it?.resume()
    },
    stop() {
      isStopped = true
      capture.stop()
      screenshots.stop()
      listeners?.stop()
    },
    async end(reason) {
      screenshots.stop()
      // A recording that is still being opened would outlive the bot. Its failure is the caller of begin's to handle.
      await begun?.catch(() => undefined)
      await listeners?.end()
      await capture.end(reason)
    },
  }
}

/** Whoever watches the bot reads its live words, too. */
function shownTo(glance: Glancing, capture: Capture): Capture {
  return {
    ...capture,
    said(line) {
      capture.said(line)
      glance.said(line)
    },
  }
}
