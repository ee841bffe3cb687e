// Takes media of a meeting from `begin` to `stop`: the recording, the live outputs and the screenshots.
import type { MeetingEvent } from '../../domain/meeting.ts'
import { hasCommand } from '../../domain/platforms.ts'
import { Failure } from '../../kit/failure.ts'
import type { Capture } from '../capture/capture.ts'
import type { Span } from '../capture/source/speech-detector.ts'
import type { Speaker } from '../live/audio-frame.ts'
import type { LiveOutputs, LiveOutputTools } from '../live/live-outputs.ts'
import { createGlance, type GlanceSource } from './glance.ts'
import { openMeasuredOutputs } from './measurements.ts'
import type { Screenshots } from './screenshots.ts'
import { createSpeakingTime } from './speaking-time.ts'

type RecorderTools = LiveOutputTools & { readonly screenshots: Pick<Screenshots, 'everyMinute' | 'stop'> }

export function createRecorder(tools: RecorderTools) {
  const { orders, capture, screenshots, report, now } = tools
  const speaking = createSpeaking(tools)
  const glance = createGlance(now)
  let outputs: LiveOutputs | null = null
  let begun: Promise<void> | null = null
  let isStopped = false

  async function begin(): Promise<void> {
    const at = await capture.begin()
    // The bot was removed or the permission withdrawn while the recording was opened.
    if (isStopped) return
    // The start time in the recording itself: another reading of the clock would differ.
    report({ kind: 'recording', botId: orders.botId, fence: orders.fence, at })
    outputs = openMeasuredOutputs({ ...tools, capture: withGlance(capture, glance) })
    if (capture.health().paused) for (const it of [outputs, speaking]) it.pause()
    if (hasCommand(orders.spec.meeting.platform, 'take_screenshot')) screenshots.everyMinute()
  }

  function setPaused(isPaused: boolean): void {
    // First the turns that last: a paused recording takes none.
    if (isPaused) for (const it of [speaking, capture, outputs]) it?.pause()
    else for (const it of [capture, outputs, speaking]) it?.resume()
    report({ kind: 'paused', botId: orders.botId, fence: orders.fence, isPaused, at: now() })
  }

  return {
    /** Resolves when the recording runs. */
    begin(): Promise<void> {
      begun ??= begin()
      return begun
    },
    /** Resolves when the recording runs. Rejects before `begin`. */
    async whenBegun(): Promise<void> {
      if (!begun) throw new Failure('not_recording', 'The bot is not recording: the host has not allowed it yet.')
      await begun
    },
    onEvent(event: MeetingEvent): void {
      glance.onEvent(event)
      if (event.kind === 'voice' && begun) speaking.setSpeakers(event.speakers, event.at)
      if (event.kind === 'room') capture.setRoom(event.name, inSession(tools, event.at))
      if (event.kind === 'caption') outputs?.onCaption(event)
      const speech = begun && speechIn(event)
      if (speech) speaking.addSpeech(speech)
    },
    /** 20 ms of decoded audio; the speaker is null while unknown. */
    onAudio(speaker: Speaker | null, pcm: Int16Array, atMs: number): void {
      if (glance.isWatched()) glance.onAudio(speaker?.id ?? null, pcm)
      outputs?.onAudio(speaker, pcm, atMs)
    },
    isWatched: glance.isWatched,
    glance: () => glance.snapshot(outputs !== null && !isStopped && !capture.health().paused),
    /** How long each participant has spoken so far, except during pauses. */
    spokenMs: () => speaking.totals(),
    pause: () => setPaused(true),
    resume: () => setPaused(false),
    /** The bot is leaving: the recording ends here. */
    stop(): void {
      isStopped = true
      speaking.pause()
      for (const it of [capture, screenshots, outputs]) it?.stop()
    },
    /** Resolves when the recording is on the disk. */
    async end(reason: string): Promise<void> {
      speaking.pause()
      screenshots.stop()
      // A recording that opens later would outlive the bot. The caller of `begin` handles its failure.
      await begun?.catch(() => undefined)
      await outputs?.end()
      await capture.end(reason)
    },
  }
}

/** `isCounted`: events of the kind `voice` count its time. */
type Speech = { readonly participantId: string; readonly span: Span; readonly isCounted: boolean }

/** Speech that no packet names. */
function speechIn(event: MeetingEvent): Speech | null {
  if (event.kind === 'spoken') return { participantId: event.from, span: event.spoken, isCounted: true }
  const isSpeech = event.kind === 'caption' && event.final && event.spoken
  return isSpeech ? { participantId: event.from, span: isSpeech, isCounted: false } : null
}

/** Converts a wall-clock time. The platform's clock is assumed to equal this machine's. */
function inSession({ capture, now }: Pick<RecorderTools, 'capture' | 'now'>, at: number): number {
  return at - now() + capture.nowMs()
}

/** The speaking times of the participants, and their speech in the recording where no packet shows it. */
function createSpeaking({ capture, now }: Pick<RecorderTools, 'capture' | 'now'>) {
  const spanOf = ({ fromMs, toMs }: Span): Span => ({
    fromMs: inSession({ capture, now }, fromMs),
    toMs: inSession({ capture, now }, toMs),
  })
  const time = createSpeakingTime(now, (id, turn) => capture.addTurn(id, spanOf(turn)))
  return {
    ...time,
    addSpeech({ participantId, span, isCounted }: Speech): void {
      if (!isCounted) time.add(participantId, span.toMs - span.fromMs)
      capture.addSpeech(participantId, spanOf(span))
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
