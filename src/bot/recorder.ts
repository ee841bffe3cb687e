// Takes media of a meeting from `begin` to `stop`: the recording, the live outputs and the screenshots.
import type { MeetingEvent, Roster } from '../domain/meeting.ts'
import { hasCommand } from '../domain/platforms.ts'
import type { Glance } from '../domain/protocol.ts'
import { Failure } from '../kit/failure.ts'
import type { Capture } from './capture/capture.ts'
import type { Span } from './capture/source/speech-detector.ts'
import { createGlance, type GlanceSource } from './glance.ts'
import type { Speaker } from './live/audio-frame.ts'
import type { LiveOutputs, LiveOutputTools } from './live/live-outputs.ts'
import { openMeasuredOutputs } from './measurements.ts'
import type { Screenshots } from './screenshots.ts'
import { createSpeakingTime } from './speaking-time.ts'

type RecorderTools = LiveOutputTools & { readonly screenshots: Pick<Screenshots, 'everyMinute' | 'stop'> }

export type Recorder = {
  /** Resolves when the recording runs. */
  begin(): Promise<void>
  /** Resolves when the recording runs. Rejects before `begin`. */
  whenBegun(): Promise<void>
  onEvent(event: MeetingEvent): void
  /** 20 ms of decoded audio; the speaker is null while unknown. */
  onAudio(speaker: Speaker | null, pcm: Int16Array, atMs: number): void
  spokenMs(): Roster['spokenMs']
  isWatched: GlanceSource['isWatched']
  glance(): Glance
  pause(): void
  resume(): void
  stop(): void
  /** Resolves when the recording is on the disk. */
  end(reason: string): Promise<void>
}

export function createRecorder(tools: RecorderTools): Recorder {
  const { orders, capture, screenshots, now, report } = tools
  const { botId, fence } = orders
  const speaking = createSpeakingTime(now)
  const glance = createGlance(now)
  let outputs: LiveOutputs | null = null
  let begun: Promise<void> | null = null
  let isStopped = false

  async function begin(): Promise<void> {
    const at = await capture.begin()
    // The bot was removed or the permission withdrawn while the recording was opened.
    if (isStopped) return
    // The start time in the recording itself: another reading of the clock would differ.
    report({ kind: 'recording', botId, fence, at })
    outputs = openMeasuredOutputs({ ...tools, capture: withGlance(capture, glance) })
    if (capture.health().paused) for (const it of [outputs, speaking]) it.pause()
    if (hasCommand(orders.spec.meeting.platform, 'take_screenshot')) screenshots.everyMinute()
  }

  /** Times are in the platform's clock, which is assumed to equal this machine's. */
  function addSpeech(participantId: string, { fromMs, toMs }: Span): void {
    const zeroMs = now() - capture.nowMs()
    speaking.add(participantId, toMs - fromMs)
    capture.addSpeech(participantId, { fromMs: fromMs - zeroMs, toMs: toMs - zeroMs })
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
    onEvent(event) {
      glance.onEvent(event)
      if (event.kind === 'voice' && begun) speaking.setSpeakers(event.speakers, event.at)
      if (event.kind === 'caption') outputs?.onCaption(event)
      if (event.kind === 'caption' && event.final && event.spoken && begun) addSpeech(event.from, event.spoken)
    },
    onAudio(speaker, pcm, atMs) {
      if (glance.isWatched()) glance.onAudio(speaker?.id ?? null, pcm)
      outputs?.onAudio(speaker, pcm, atMs)
    },
    isWatched: glance.isWatched,
    glance: () => glance.snapshot(outputs !== null && !isStopped && !capture.health().paused),
    spokenMs: () => speaking.totals(),
    pause() {
      for (const it of [capture, outputs, speaking]) it?.pause()
    },
    resume() {
      for (const it of [capture, outputs, speaking]) it?.resume()
    },
    stop() {
      isStopped = true
      capture.stop()
      screenshots.stop()
      outputs?.stop()
    },
    async end(reason) {
      screenshots.stop()
      // A recording that opens later would outlive the bot. The caller of `begin` handles its failure.
      await begun?.catch(() => undefined)
      await outputs?.end()
      await capture.end(reason)
    },
  }
}

/** Adds live words to the glance too. */
function withGlance(capture: Capture, glance: GlanceSource): Capture {
  return {
    ...capture,
    addWords(line) {
      capture.addWords(line)
      glance.addLine(line)
    },
  }
}
