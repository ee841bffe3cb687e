// Everything a session needs to record a meeting: a script for its pages, a few commands, and what is known about the media.
import type { TrackKind } from '../../domain/recording.ts'
import { pageScript } from './page-script.ts'
import { type PageHealth, startReceiver } from './receiver.ts'
import { openRecording, type Recording, type RecordingHealth } from './recording.ts'
import type { TrackNote, WireFrame } from './wire.ts'

const BATCH_MS = 20
const FALLBACK_AFTER_MS = 3_000

export type CaptureOptions = {
  readonly folder: string
  /** False: no video is kept, shipped or decoded. */
  readonly video: boolean
  /** False where a platform is known to give no encoded frames. */
  readonly encoded?: boolean
  /** False where a platform's workers do not bear to be started by a script before their own. */
  readonly wrapWorkers?: boolean
  /** A source appeared, or more is known about it; `own` says whose it is. */
  readonly onTrack?: (source: string, note: TrackNote) => void
  readonly onTrackEnded?: (source: string) => void
  /** Every audio packet as it arrives, for who listens live. */
  readonly onAudio?: (source: string, frame: WireFrame, arrivedMs: number) => void
  readonly onProblem?: (message: string) => void
}

export type CaptureHealth = RecordingHealth & { readonly pages: readonly PageHealth[] }

export type Capture = {
  /** For `context.addInitScript({ content })`, on a context with `bypassCSP` and the permission `local-network-access`. */
  readonly initScript: string
  /** The bot is in: what comes from now on is recorded, and nothing before. */
  begin(): Promise<void>
  /** Milliseconds since the first beginning; goes on while paused, and through a crash. */
  nowMs(): number
  /** False when there is no such source. */
  own(source: string, participantId: string, kind: TrackKind): boolean
  pause(): void
  resume(): void
  /** Audio at once instead of in batches, while somebody listens. */
  live(on: boolean): void
  /** Real pictures in the page, from the next key frame on, for a screenshot. */
  reveal(on: boolean): void
  /** For a change of speaker; on start and resume it is asked for anyway. */
  askKeyFrame(source: string): void
  health(): CaptureHealth
  /** Everything is on the disk when this settles. */
  end(reason: string): Promise<void>
}

type Owner = { readonly participantId: string; readonly kind: TrackKind }

export async function startCapture(options: CaptureOptions): Promise<Capture> {
  let recording: Recording | null = null
  const notes = new Map<string, TrackNote>()
  const owners = new Map<string, Owner>()
  const receiver = await startReceiver({
    nowMs: () => performance.now(),
    track(source, note) {
      notes.set(source, note)
      recording?.track(source, note)
      options.onTrack?.(source, note)
    },
    frame(source, frame, arrivedAt) {
      if (!recording) return
      const arrivedMs = recording.sessionMs(arrivedAt)
      recording.frame(source, frame, arrivedMs)
      if (frame.kind === 'audio') options.onAudio?.(source, frame, arrivedMs)
    },
    trackEnded(source) {
      notes.delete(source)
      owners.delete(source)
      recording?.trackEnded(source)
      options.onTrackEnded?.(source)
    },
    problem: (message) => options.onProblem?.(message),
  })
  // Until the bot is in, pages keep what they have to themselves.
  receiver.say({ type: 'pause' })
  const { video, encoded = true, wrapWorkers = true } = options
  const { url, token } = receiver
  return {
    initScript: pageScript({ url, token, batchMs: BATCH_MS, video, encoded, wrapWorkers, fallbackAfterMs: FALLBACK_AFTER_MS }),
    async begin() {
      const opened = await openRecording({ folder: options.folder, askKeyFrame: (source) => receiver.askKeyFrame(source) })
      for (const [source, note] of notes) opened.track(source, note)
      for (const [source, { participantId, kind }] of owners) opened.own(source, participantId, kind)
      recording = opened
      if (!opened.paused) receiver.say({ type: 'resume' })
    },
    nowMs: () => recording?.nowMs() ?? 0,
    own(source, participantId, kind) {
      if (notes.has(source)) owners.set(source, { participantId, kind })
      recording?.own(source, participantId, kind)
      return notes.has(source)
    },
    pause() {
      recording?.pause()
      receiver.say({ type: 'pause' })
    },
    resume() {
      receiver.say({ type: 'resume' })
      recording?.resume()
    },
    live: (on) => receiver.say({ type: 'live', on }),
    reveal: (on) => receiver.say({ type: 'reveal', on }),
    askKeyFrame: (source) => receiver.askKeyFrame(source),
    health: () => ({ ...(recording?.health() ?? NOTHING_YET), pages: receiver.health() }),
    async end(reason) {
      await receiver.close()
      await recording?.end(reason)
    },
  }
}

const NOTHING_YET: RecordingHealth = { paused: false, sources: {}, pendingBytes: 0, syncedMs: 0, failure: null }
