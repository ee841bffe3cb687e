/// <reference lib="dom" />
// Microphone, camera and screen of the user. A missing or forbidden device is off, and a notice says why.
import type { MediaKind, MediaState } from '../wire.ts'
import type { Tracks } from './peer.ts'

export type DeviceEvents = {
  /** A track was added, removed or switched on or off. */
  onChange(kind: MediaKind, track: MediaStreamTrack | null): void
  onProblem(sentence: string): void
}

const SIZES = { standard: { width: 640, height: 360 }, high: { width: 1280, height: 720 } } as const
export type CameraQuality = keyof typeof SIZES

const SOUND = { echoCancellation: true, noiseSuppression: true, autoGainControl: true }
const SCREEN = { width: { max: 1920 }, height: { max: 1080 }, frameRate: { ideal: 10, max: 15 } }

const MISSING: Readonly<Record<MediaKind, string>> = {
  microphone: 'No microphone, or its use is not allowed. You can still hear the others.',
  camera: 'No camera, or its use is not allowed. You can still see the others.',
  screen: 'The screen was not shared.',
}
const BOTH_MISSING = 'No microphone and no camera, or their use is not allowed. You can still hear and see the others.'
const INSECURE = 'The browser gives microphone and camera only to pages reached by https or on this computer.'

export class Devices {
  readonly #events: DeviceEvents
  readonly #quality: CameraQuality
  #tracks: Tracks = { microphone: null, camera: null, screen: null }

  constructor(quality: CameraQuality, events: DeviceEvents) {
    this.#quality = quality
    this.#events = events
  }

  get tracks(): Tracks {
    return this.#tracks
  }

  get state(): MediaState {
    const { microphone, camera, screen } = this.#tracks
    return { microphone: microphone?.enabled ?? false, camera: camera !== null, screen: screen !== null }
  }

  /** Asks for both devices at once, and leaves out a missing one. */
  async open(wanted: { readonly microphone: boolean; readonly camera: boolean }): Promise<void> {
    if (!navigator.mediaDevices) return this.#events.onProblem(INSECURE)
    if (wanted.microphone && wanted.camera && (await this.#open('microphone', 'camera'))) return
    const missing: MediaKind[] = []
    for (const kind of ['microphone', 'camera'] as const) if (wanted[kind] && !(await this.#open(kind))) missing.push(kind)
    if (missing.length === 2) this.#events.onProblem(BOTH_MISSING)
    else for (const kind of missing) this.#events.onProblem(MISSING[kind])
  }

  async set(kind: MediaKind, on: boolean): Promise<void> {
    const track = this.#tracks[kind]
    // A muted microphone stays open and sends silence, so that unmuting is instant. A camera is released, so that its light goes out.
    if (kind === 'microphone' && track) {
      track.enabled = on
      this.#events.onChange(kind, track)
    } else if (!on) this.#drop(kind)
    else if (!track && !(await this.#open(kind))) this.#events.onProblem(navigator.mediaDevices ? MISSING[kind] : INSECURE)
  }

  close(): void {
    for (const kind of ['microphone', 'camera', 'screen'] as const) this.#drop(kind)
  }

  /** Asks for these devices with one permission prompt. Returns false if one is missing or forbidden. */
  async #open(...kinds: readonly MediaKind[]): Promise<boolean> {
    try {
      const stream = await this.#request(kinds)
      for (const kind of kinds) this.#take(kind, (kind === 'microphone' ? stream.getAudioTracks() : stream.getVideoTracks())[0])
      return true
    } catch {
      return false
    }
  }

  #request(kinds: readonly MediaKind[]): Promise<MediaStream> {
    if (kinds.includes('screen')) return navigator.mediaDevices.getDisplayMedia({ video: SCREEN, audio: false })
    const audio = kinds.includes('microphone') && SOUND
    return navigator.mediaDevices.getUserMedia({ audio, video: kinds.includes('camera') && this.#picture() })
  }

  #picture(): MediaTrackConstraints {
    const { width, height } = SIZES[this.#quality]
    return { width: { ideal: width }, height: { ideal: height }, frameRate: { ideal: 15, max: 30 } }
  }

  #take(kind: MediaKind, track: MediaStreamTrack | undefined): void {
    if (!track) throw new Error(`${kind}: the browser gave a stream without a track`)
    if (kind === 'screen') track.contentHint = 'detail'
    // The device was unplugged, or the user clicked the browser's "Stop sharing".
    track.addEventListener('ended', () => this.#tracks[kind] === track && this.#drop(kind))
    this.#tracks = { ...this.#tracks, [kind]: track }
    this.#events.onChange(kind, track)
  }

  #drop(kind: MediaKind): void {
    const track = this.#tracks[kind]
    if (!track) return
    this.#tracks = { ...this.#tracks, [kind]: null }
    track.stop()
    this.#events.onChange(kind, null)
  }
}
