// Everything a session needs to record a meeting: a script for its pages, a few commands, and what is known about the media.
import type { TrackOwner } from '../../domain/meeting.ts'
import type { SaidFact } from '../../domain/recording.ts'
import { type LaneSink, Lanes } from './lanes.ts'
import { Owners } from './owners.ts'
import { pageScript } from './page-script.ts'
import { type FrameSink, type PageHealth, startReceiver } from './receiver.ts'
import { openRecording, type Recording, type RecordingHealth } from './recording.ts'
import { noteOfTrack, type SourceNote } from './source-note.ts'
import type { Span } from './speech.ts'
import type { WireFrame } from './wire.ts'

const BATCH_MS = 20
const FALLBACK_AFTER_MS = 3_000
const TICK_MS = 1_000

export type CaptureOptions = {
  readonly folder: string
  /** Number of this session of the bot, higher than those before. */
  readonly session: number
  /** False: no video is kept, shipped or decoded. */
  readonly video: boolean
  /** False where a platform is known to give no encoded frames. */
  readonly encoded?: boolean
  /** False where a platform's workers do not bear to be started by a script before their own. */
  readonly wrapWorkers?: boolean
  /** Contributing sources that name no participant. */
  readonly ignoredSources?: readonly number[]
  /** One audio track carries all participants, and another one is its copy. */
  readonly mixed?: boolean
  /** A source appeared, or more is known about it. */
  readonly onTrack?: (source: string, note: SourceNote) => void
  readonly onTrackEnded?: (source: string) => void
  /** Every audio packet as it arrives, for live audio. */
  readonly onAudio?: (source: string, frame: WireFrame, arrivedMs: number) => void
  readonly onProblem?: (message: string) => void
}

export type CaptureHealth = RecordingHealth & { readonly pages: readonly PageHealth[] }

export type Capture = {
  /** For `context.addInitScript({ content })`, on a context with `bypassCSP` and the permission `local-network-access`. */
  readonly initScript: string
  /** The bot is in: what comes from now on is recorded, and nothing before. The moment, in the wall clock, that `nowMs` counts from. */
  begin(): Promise<number>
  /** Milliseconds since the first beginning; goes on while paused, and through a crash. */
  nowMs(): number
  /** From the last words of the session before this one to the beginning of this one; null where this is the first. */
  away(): Recording['away']
  /** The owners of all tracks, as the driver knows them now. */
  learn(owners: readonly TrackOwner[]): void
  /** The owner of a source, for live audio; null while unknown. */
  participantOf(source: string): string | null
  pause(): void
  resume(): void
  /** Audio at once instead of in batches, for live audio. */
  live(on: boolean): void
  /** Real pictures in the page, from the next key frame on, for a screenshot. */
  reveal(on: boolean): void
  /** For a change of speaker; on start and resume it is asked for anyway. */
  askKeyFrame(source: string): void
  health(): CaptureHealth
  /** Somebody spoke, as the platform says, where no packet tells it. In session time. */
  spoke(participantId: string, span: Span): void
  /** Live words that will not change any more: they are the record of a live provider. */
  said(words: Omit<SaidFact, 'fact'>): void
  /** The bot is about to leave: nothing more is taken, and this is where the recording ends. */
  stop(): void
  /** Everything is on the disk when this settles. */
  end(reason: string): Promise<void>
}

/** The sources, and where their media goes: nowhere before the beginning and after the end. */
type Taken = {
  recording: Recording | null
  stoppedMs: number | null
  readonly owners: Owners
}

export async function startCapture(options: CaptureOptions): Promise<Capture> {
  const owners = new Owners((source, participantId, kind) => void taken.recording?.own(source, participantId, kind))
  const taken: Taken = { recording: null, stoppedMs: null, owners }
  const sources = sourcesFor(taken, options)
  const lanes = lanesFor(taken, sources, options)
  const receiver = await startReceiver(sinkFor(taken, sources, lanes, options))
  const timer = setInterval(() => taken.recording && lanes.tick(taken.recording.nowMs()), TICK_MS)
  // Until the bot is in, pages keep what they have to themselves.
  receiver.say({ type: 'pause' })
  const { video, encoded = true, wrapWorkers = true } = options
  const { url, token } = receiver
  return {
    initScript: pageScript({ url, token, batchMs: BATCH_MS, video, encoded, wrapWorkers, fallbackAfterMs: FALLBACK_AFTER_MS }),
    async begin() {
      const recording = await openRecording({
        folder: options.folder,
        session: options.session,
        askKeyFrame: (source) => receiver.askKeyFrame(source),
      })
      for (const [source, { note, owner }] of owners.sources) {
        recording.track(source, note)
        if (owner) recording.own(source, owner.participantId, owner.kind)
      }
      taken.recording = recording
      if (!recording.paused) receiver.say({ type: 'resume' })
      return recording.startedAt
    },
    nowMs: () => taken.recording?.nowMs() ?? 0,
    away: () => taken.recording?.away ?? null,
    learn: (tracks) => owners.learn(tracks),
    participantOf: (source) => owners.participantOf(source),
    pause() {
      lanes.pause()
      taken.recording?.pause()
      receiver.say({ type: 'pause' })
    },
    resume() {
      receiver.say({ type: 'resume' })
      taken.recording?.resume()
    },
    live: (on) => receiver.say({ type: 'live', on }),
    reveal: (on) => receiver.say({ type: 'reveal', on }),
    askKeyFrame: (source) => receiver.askKeyFrame(source),
    health: () => ({ ...(taken.recording?.health() ?? NOTHING_YET), pages: receiver.health() }),
    spoke: (participantId, span) => taken.recording?.spoke(participantId, span),
    said: (words) => taken.recording?.said(words),
    stop() {
      taken.stoppedMs ??= taken.recording?.nowMs() ?? 0
    },
    async end(reason) {
      clearInterval(timer)
      await receiver.close()
      lanes.pause()
      await taken.recording?.end(reason, taken.stoppedMs ?? taken.recording.nowMs())
    },
  }
}

type Sources = Pick<LaneSink, 'track' | 'trackEnded'>

function sourcesFor(taken: Taken, { onTrack, onTrackEnded }: CaptureOptions): Sources {
  return {
    track(source, note) {
      taken.recording?.track(source, note)
      taken.owners.note(source, note)
      onTrack?.(source, note)
    },
    trackEnded(source) {
      taken.owners.forget(source)
      taken.recording?.trackEnded(source)
      onTrackEnded?.(source)
    },
  }
}

function lanesFor(taken: Taken, sources: Sources, { onAudio, ignoredSources, mixed }: CaptureOptions): Lanes {
  const sink: LaneSink = {
    ...sources,
    noteOf: (lane) => taken.owners.sources.get(lane)?.note,
    frame: (source, frame, arrivedMs) => taken.recording?.frame(source, frame, arrivedMs),
    timed: (source, frame, atMs) => taken.recording?.timed(source, frame, atMs),
    live: (source, frame, arrivedMs) => onAudio?.(source, frame, arrivedMs),
  }
  return new Lanes(sink, { ...(ignoredSources && { ignored: ignoredSources }), ...(mixed && { mixed }) })
}

function sinkFor(taken: Taken, sources: Sources, lanes: Lanes, { onProblem, mixed = false }: CaptureOptions): FrameSink {
  return {
    nowMs: () => performance.now(),
    track: (source, note) => sources.track(source, noteOfTrack(note, { isShared: mixed })),
    frame(source, frame, arrivedAt) {
      if (!taken.recording || taken.stoppedMs !== null) return
      const arrivedMs = taken.recording.sessionMs(arrivedAt)
      if (frame.kind === 'audio') lanes.take(source, frame, arrivedMs)
      else taken.recording.frame(source, frame, arrivedMs)
    },
    trackEnded(source) {
      lanes.end(source)
      sources.trackEnded(source)
    },
    problem: (message) => onProblem?.(message),
  }
}

const NOTHING_YET: RecordingHealth = { paused: false, sources: {}, pendingBytes: 0, syncedMs: 0, failure: null }
