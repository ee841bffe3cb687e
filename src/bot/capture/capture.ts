// Records a meeting: a script for its pages, commands for the session, and the health of the media.
import type { TrackOwner } from '../../domain/meeting.ts'
import type { RecordedBefore, SaidFact } from '../../domain/recording.ts'
import { OwnerMatcher } from './attribute/owner-matcher.ts'
import { Lanes } from './demultiplex/lanes.ts'
import { pageScript } from './page-script.ts'
import { type PageHealth, startReceiver } from './receive/receiver.ts'
import { openRecording, type Recording, type RecordingHealth } from './recording.ts'
import type { FrameSink, SourceInfo } from './source/source-info.ts'
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
  /** What earlier sessions recorded: their manifests may not be in the folder. Null, the default: nothing. */
  readonly recordedBefore?: RecordedBefore | null
  /** False: video is neither sent to the bot nor decoded in the page. */
  readonly video: boolean
  /** False if the platform is known to give no encoded frames. */
  readonly encoded?: boolean
  /** False if the platform's workers fail with a script before their own. */
  readonly wrapWorkers?: boolean
  /** True if the page plays no sound. */
  readonly silent?: boolean
  /** CSRCs that name no participant. */
  readonly ignoredSources?: readonly number[]
  /** One audio track carries all participants, and another one is its copy. */
  readonly mixed?: boolean
  /** The form of the id of a stream with the media of one participant. The audio of any other stream is a mix without CSRCs. */
  readonly ownStreams?: RegExp
  /** How long the page collects frames before it sends them. Live audio is sent at once. */
  readonly batchMs?: number
  /** For a new source, and when the info of a known one changes. */
  readonly onTrack?: (source: string, info: SourceInfo) => void
  readonly onTrackEnded?: (source: string) => void
  /** Every audio packet on arrival, for live audio. */
  readonly onAudio?: (source: string, frame: WireFrame, arrivedMs: number) => void
  readonly onProblem?: (message: string) => void
}

export type CaptureHealth = RecordingHealth & { readonly pages: readonly PageHealth[] }

export type Capture = Awaited<ReturnType<typeof startCapture>>

/** `recording` is null before the start. Media after `stoppedMs` is dropped. */
type State = {
  recording: Recording | null
  /** The breakout room in which the bot is; null: the main meeting. */
  room: string | null
  stoppedMs: number | null
  /** The participants that are the bot itself. */
  readonly own: Set<string>
  readonly owners: OwnerMatcher
}

export async function startCapture(options: CaptureOptions) {
  const owners = new OwnerMatcher((source, participantId, kind) => void state.recording?.setOwner(source, participantId, kind))
  const state: State = { recording: null, room: null, stoppedMs: null, own: new Set(), owners }
  const { ignoredSources: ignored = [], mixed = false, ownStreams, onProblem = () => undefined } = options
  const lanes = new Lanes(demultiplexed(state, options), { ignored, mixed, ...(ownStreams && { ownStreams }) })
  const receiver = await startReceiver(received(state, lanes), { nowMs: () => performance.now(), onProblem })
  const timer = setInterval(() => state.recording && lanes.tick(state.recording.nowMs()), TICK_MS)
  // Pages send no media until the bot is in.
  receiver.sendCommand({ kind: 'pause' })
  const { video, encoded = true, wrapWorkers = true, silent = false, batchMs = BATCH_MS } = options
  const { url, token } = receiver
  return {
    /** For `context.addInitScript({ content })`, on a context with `bypassCSP` and the permission `local-network-access`. */
    initScript: pageScript({ url, token, batchMs, video, encoded, wrapWorkers, silent, fallbackAfterMs: FALLBACK_AFTER_MS }),
    /** Starts recording; media from before is not recorded. Resolves with the wall-clock time from which `nowMs` counts. */
    async begin(): Promise<number> {
      const recording = await openRecording({
        folder: options.folder,
        session: options.session,
        recordedBefore: options.recordedBefore ?? null,
        requestKeyFrame: (source) => receiver.requestKeyFrame(source),
      })
      noteKnown(state, recording)
      state.recording = recording
      if (!recording.paused) receiver.sendCommand({ kind: 'resume' })
      return recording.startedAt
    },
    /** Milliseconds since the first session began. Continues while paused and across a crash. */
    nowMs: () => state.recording?.nowMs() ?? 0,
    /** From the last transcribed words of the session before to the start of this one; null in the first session. */
    sessionGap: () => state.recording?.sessionGap ?? null,
    /** The owners of all tracks, as the driver knows them now. */
    setOwners: (tracks: readonly TrackOwner[]) => owners.setOwners(tracks),
    /** The owner of a source, for live audio; null while unknown. */
    participantOf: (source: string) => owners.participantOf(source),
    ...meetingFacts(state),
    pause(): void {
      state.recording?.pause()
      receiver.sendCommand({ kind: 'pause' })
    },
    resume(): void {
      receiver.sendCommand({ kind: 'resume' })
      state.recording?.resume()
    },
    /** Makes pages send audio at once instead of in batches, for live audio. */
    live: (on: boolean) => receiver.sendCommand({ kind: 'live', on }),
    /** Shows real pictures in the page from the next key frame on, for a screenshot. */
    reveal: (on: boolean) => receiver.sendCommand({ kind: 'reveal', on }),
    health: (): CaptureHealth => ({ ...(state.recording?.health() ?? NO_RECORDING), pages: receiver.health() }),
    /** Speech that the platform reports and no packet shows, in session time. */
    addSpeech: (participantId: string, span: Span) => state.recording?.addSpeech(participantId, span),
    ...unnamedMixes(state, lanes, options),
    /** The bot is about to leave: the recording ends here. */
    stop(): void {
      state.stoppedMs ??= state.recording?.nowMs() ?? 0
      // The page sends at once what it has collected.
      receiver.sendCommand({ kind: 'pause' })
    },
    /** Resolves when everything is on the disk. */
    async end(reason: string): Promise<void> {
      clearInterval(timer)
      await receiver.close()
      await state.recording?.end(reason, state.stoppedMs ?? state.recording.nowMs())
    },
  }
}

/** Writes what was known before the recording began. */
function noteKnown({ owners, own, room }: State, recording: Recording): void {
  for (const [source, { info, owner }] of owners.sources) {
    recording.track(source, info)
    if (owner) recording.setOwner(source, owner.participantId, owner.kind)
  }
  for (const participantId of own) recording.note({ fact: 'own', participantId })
  if (room !== null) recording.setRoom(room, recording.nowMs())
}

function meetingFacts(state: State) {
  return {
    /** The participant is the bot itself, by its other session: no file has its media. */
    addOwn(participantId: string): void {
      state.own.add(participantId)
      state.recording?.note({ fact: 'own', participantId })
    },
    /** Final live words, which become the transcript of a live provider. */
    addWords: (words: Omit<SaidFact, 'fact'>) => state.recording?.note({ fact: 'said', ...words }),
    /** The bot was moved into this breakout room, or back with null, at this session time. */
    setRoom(name: string | null, atMs: number): void {
      state.room = name
      state.recording?.setRoom(name, atMs)
    },
  }
}

/** Mixes whose packets have named no speaker so far. */
function unnamedMixes(state: State, lanes: Lanes, { ownStreams }: CaptureOptions) {
  const isUnnamedMix = (source: string) => (state.owners.sources.get(source)?.info.isMix ?? false) && !lanes.isLane(source)
  return {
    isUnnamedMix,
    /** One turn of speech by the platform's messages, in session time. It counts if such a mix is received, and the driver reports no `spoken`. */
    addTurn(participantId: string, span: Span): void {
      const hasMix = ownStreams !== undefined && [...state.owners.sources.keys()].some(isUnnamedMix)
      if (hasMix) state.recording?.addSpeech(participantId, span)
    },
  }
}

/** Drops frames from before the start and after the stop, and gives the others their arrival in session time. */
function received(state: State, lanes: Lanes): FrameSink {
  return {
    track: (source, info) => lanes.track(source, info),
    frame(source, frame, arrivedAt) {
      if (!state.recording) return
      const arrivedMs = state.recording.sessionMs(arrivedAt)
      if (state.stoppedMs === null || arrivedMs <= state.stoppedMs) lanes.frame(source, frame, arrivedMs)
    },
    trackEnded: (source) => lanes.trackEnded(source),
  }
}

/** Passes the sources on to the recording and to live audio. */
function demultiplexed(state: State, { onTrack, onTrackEnded, onAudio }: CaptureOptions): FrameSink {
  return {
    track(source, info) {
      state.recording?.track(source, info)
      state.owners.addSource(source, info)
      onTrack?.(source, info)
    },
    frame(source, frame, arrivedMs, lane) {
      if (frame.kind === 'audio') onAudio?.(source, frame, arrivedMs)
      state.recording?.frame(source, frame, arrivedMs, lane)
    },
    trackEnded(source) {
      state.owners.removeSource(source)
      state.recording?.trackEnded(source)
      onTrackEnded?.(source)
    },
  }
}

const NO_RECORDING: RecordingHealth = { paused: false, sources: {}, dropped: 0, pendingBytes: 0, failure: null }
