// Records a meeting: a script for its pages, commands for the session, and the health of the media.
import type { TrackOwner } from '../../domain/meeting.ts'
import type { SaidFact } from '../../domain/recording.ts'
import { OwnerMatcher } from './attribute/owner-matcher.ts'
import { type LaneSink, Lanes } from './demultiplex/lanes.ts'
import { pageScript } from './page-script.ts'
import { type FrameSink, type PageHealth, startReceiver } from './receive/receiver.ts'
import { openRecording, type Recording, type RecordingHealth } from './recording.ts'
import { noteOfTrack, type SourceNote } from './source/source-note.ts'
import type { Span } from './source/speech-detector.ts'
import type { WireFrame } from './wire.ts'

/** A longer delay would let a change of owner overtake the packets from before it. */
const BATCH_MS = 20
const FALLBACK_AFTER_MS = 3_000
const TICK_MS = 1_000

export type CaptureOptions = {
  readonly folder: string
  /** Number of this session of the bot, higher than those of earlier sessions. */
  readonly session: number
  /** False: video is neither sent to the bot nor decoded in the page. */
  readonly video: boolean
  /** False if the platform is known to give no encoded frames. */
  readonly encoded?: boolean
  /** False if the platform's workers fail with a script before their own. */
  readonly wrapWorkers?: boolean
  /** CSRCs that name no participant. */
  readonly ignoredSources?: readonly number[]
  /** One audio track carries all participants, and another one is its copy. */
  readonly mixed?: boolean
  /** How long the page collects frames before it sends them. Live audio is sent at once. */
  readonly batchMs?: number
  /** For a new source, and for a new note of a known one. */
  readonly onTrack?: (source: string, note: SourceNote) => void
  readonly onTrackEnded?: (source: string) => void
  /** Every audio packet on arrival, for live audio. */
  readonly onAudio?: (source: string, frame: WireFrame, arrivedMs: number) => void
  readonly onProblem?: (message: string) => void
}

export type CaptureHealth = RecordingHealth & { readonly pages: readonly PageHealth[] }

export type Capture = {
  /** For `context.addInitScript({ content })`, on a context with `bypassCSP` and the permission `local-network-access`. */
  readonly initScript: string
  /** Starts recording; media from before is not recorded. Resolves with the wall-clock time from which `nowMs` counts. */
  begin(): Promise<number>
  /** Milliseconds since the first session began. Continues while paused and across a crash. */
  nowMs(): number
  /** From the last transcribed words of the session before to the start of this one; null in the first session. */
  sessionGap(): Recording['sessionGap']
  /** The owners of all tracks, as the driver knows them now. */
  setOwners(owners: readonly TrackOwner[]): void
  /** The owner of a source, for live audio; null while unknown. */
  participantOf(source: string): string | null
  pause(): void
  resume(): void
  /** Makes pages send audio at once instead of in batches, for live audio. */
  live(on: boolean): void
  /** Shows real pictures in the page from the next key frame on, for a screenshot. */
  reveal(on: boolean): void
  /** For a change of speaker. Start and resume request key frames by themselves. */
  requestKeyFrame(source: string): void
  health(): CaptureHealth
  /** Speech that the platform reports and no packet shows, in session time. */
  addSpeech(participantId: string, span: Span): void
  /** Final live words, which become the transcript of a live provider. */
  addWords(words: Omit<SaidFact, 'fact'>): void
  /** The bot is about to leave: the recording ends here. */
  stop(): void
  /** Resolves when everything is on the disk. */
  end(reason: string): Promise<void>
}

/** `recording` is null before the start. Media after `stoppedMs` is dropped. */
type State = {
  recording: Recording | null
  stoppedMs: number | null
  readonly owners: OwnerMatcher
}

export async function startCapture(options: CaptureOptions): Promise<Capture> {
  const owners = new OwnerMatcher((source, participantId, kind) => void state.recording?.setOwner(source, participantId, kind))
  const state: State = { recording: null, stoppedMs: null, owners }
  const sources = sourcesFor(state, options)
  const lanes = lanesFor(state, sources, options)
  const receiver = await startReceiver(sinkFor(state, sources, lanes, options))
  const timer = setInterval(() => state.recording && lanes.tick(state.recording.nowMs()), TICK_MS)
  // Pages send no media until the bot is in.
  receiver.sendCommand({ kind: 'pause' })
  const { video, encoded = true, wrapWorkers = true, batchMs = BATCH_MS } = options
  const { url, token } = receiver
  return {
    initScript: pageScript({ url, token, batchMs, video, encoded, wrapWorkers, fallbackAfterMs: FALLBACK_AFTER_MS }),
    async begin() {
      const recording = await openRecording({
        folder: options.folder,
        session: options.session,
        requestKeyFrame: (source) => receiver.requestKeyFrame(source),
      })
      for (const [source, { note, owner }] of owners.sources) {
        recording.track(source, note)
        if (owner) recording.setOwner(source, owner.participantId, owner.kind)
      }
      state.recording = recording
      if (!recording.paused) receiver.sendCommand({ kind: 'resume' })
      return recording.startedAt
    },
    nowMs: () => state.recording?.nowMs() ?? 0,
    sessionGap: () => state.recording?.sessionGap ?? null,
    setOwners: (tracks) => owners.setOwners(tracks),
    participantOf: (source) => owners.participantOf(source),
    pause() {
      lanes.pause()
      state.recording?.pause()
      receiver.sendCommand({ kind: 'pause' })
    },
    resume() {
      receiver.sendCommand({ kind: 'resume' })
      state.recording?.resume()
    },
    live: (on) => receiver.sendCommand({ kind: 'live', on }),
    reveal: (on) => receiver.sendCommand({ kind: 'reveal', on }),
    requestKeyFrame: (source) => receiver.requestKeyFrame(source),
    health: () => ({ ...(state.recording?.health() ?? NO_RECORDING), pages: receiver.health() }),
    addSpeech: (participantId, span) => state.recording?.addSpeech(participantId, span),
    addWords: (words) => state.recording?.addWords(words),
    stop() {
      state.stoppedMs ??= state.recording?.nowMs() ?? 0
      // The page sends at once what it has collected.
      receiver.sendCommand({ kind: 'pause' })
    },
    async end(reason) {
      clearInterval(timer)
      await receiver.close()
      lanes.pause()
      await state.recording?.end(reason, state.stoppedMs ?? state.recording.nowMs())
    },
  }
}

type Sources = Pick<LaneSink, 'track' | 'trackEnded'>

function sourcesFor(state: State, { onTrack, onTrackEnded }: CaptureOptions): Sources {
  return {
    track(source, note) {
      state.recording?.track(source, note)
      state.owners.addSource(source, note)
      onTrack?.(source, note)
    },
    trackEnded(source) {
      state.owners.removeSource(source)
      state.recording?.trackEnded(source)
      onTrackEnded?.(source)
    },
  }
}

function lanesFor(state: State, sources: Sources, { onAudio, ignoredSources, mixed }: CaptureOptions): Lanes {
  const sink: LaneSink = {
    ...sources,
    noteOf: (lane) => state.owners.sources.get(lane)?.note,
    frame: (source, frame, arrivedMs) => state.recording?.frame(source, frame, arrivedMs),
    timedFrame: (source, frame, atMs) => state.recording?.timedFrame(source, frame, atMs),
    liveFrame: (source, frame, arrivedMs) => onAudio?.(source, frame, arrivedMs),
  }
  return new Lanes(sink, { ...(ignoredSources && { ignored: ignoredSources }), ...(mixed && { mixed }) })
}

function sinkFor(state: State, sources: Sources, lanes: Lanes, { onProblem, mixed = false }: CaptureOptions): FrameSink {
  return {
    nowMs: () => performance.now(),
    track: (source, note) => sources.track(source, noteOfTrack(note, { isShared: mixed })),
    frame(source, frame, arrivedAt) {
      if (!state.recording) return
      const arrivedMs = state.recording.sessionMs(arrivedAt)
      if (state.stoppedMs !== null && arrivedMs > state.stoppedMs) return
      if (frame.kind === 'audio') lanes.push(source, frame, arrivedMs)
      else state.recording.frame(source, frame, arrivedMs)
    },
    trackEnded(source) {
      lanes.end(source)
      sources.trackEnded(source)
    },
    problem: (message) => onProblem?.(message),
  }
}

const NO_RECORDING: RecordingHealth = { paused: false, sources: {}, dropped: 0, pendingBytes: 0, syncedMs: 0, failure: null }
